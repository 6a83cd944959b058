/** Lets several callers do work, and none keep the others from it. */
export interface FairQueue {
  /** Does work when it's next. Rejects what waits too long, and leaves it undone. */
  add<R>(caller: string, work: () => Promise<R>): Promise<R>;
}

interface Waiting {
  readonly caller: string;
  readonly begin: () => void;
}

/**
 * Creates a queue that does so many pieces of work at a time, one of each caller. Who was served longest ago is next.
 */
export function createFairQueue(
  { most, maxWaitMs }: { readonly most: number; readonly maxWaitMs: number },
): FairQueue {
  const waiting = new Set<Waiting>();
  const working = new Set<string>();
  /** Callers, the one who was served last at the end. */
  const served = new Set<string>();

  function findNext(): Waiting | undefined {
    const callers = [...waiting].filter(({ caller }) => !working.has(caller));
    return callers.find(({ caller }) => !served.has(caller)) ??
      [...served].map((name) => callers.find(({ caller }) => caller === name)).find((found) => found !== undefined);
  }

  function goOn(): void {
    const next = working.size < most ? findNext() : undefined;
    if (next === undefined) return;
    waiting.delete(next);
    working.add(next.caller);
    served.delete(next.caller);
    served.add(next.caller);
    next.begin();
    goOn();
  }

  return {
    add: (caller, work) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(one);
          reject(new Error("too many reports at a time"));
        }, maxWaitMs);
        const one: Waiting = {
          caller,
          async begin() {
            clearTimeout(timer);
            await work().then(resolve, reject);
            working.delete(caller);
            if (working.size === 0 && waiting.size === 0) served.clear();
            goOn();
          },
        };
        waiting.add(one);
        goOn();
      }),
  };
}
