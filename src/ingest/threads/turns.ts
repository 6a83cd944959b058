/** Lets one piece of work run at a time. */
export interface Turns {
  /** Runs it once those before it have ended. Rejects without running it when that takes too long. */
  take<R>(work: () => Promise<R>): Promise<R>;
}

/** Creates turns that are waited for so many milliseconds at most. */
export function createTurns(maxWaitMs: number): Turns {
  const waiting = new Set<() => void>();
  let isTaken = false;

  function next(): void {
    const [start] = waiting;
    if (start === undefined) isTaken = false;
    else start();
  }

  function waitForTurn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timer);
        waiting.delete(start);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(start);
        reject(new Error("too many reports at a time"));
      }, maxWaitMs);
      waiting.add(start);
    });
  }

  return {
    take: async (work) => {
      if (isTaken) await waitForTurn();
      isTaken = true;
      try {
        return await work();
      } finally {
        next();
      }
    },
  };
}
