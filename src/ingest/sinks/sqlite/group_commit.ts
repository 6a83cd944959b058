/** What became of one item of a group. */
export type Outcome<R> = { readonly result: R } | { readonly error: unknown };

/** Gathers what comes at the same time, so that it is committed together. */
export interface Groups<T, R> {
  /** Adds an item that weighs so much; resolves or rejects once its group was committed. */
  add(item: T, weight: number): Promise<R>;
  /** Commits at once what waits. */
  flush(): void;
}

interface Waiting<T, R> {
  readonly item: T;
  readonly weight: number;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/** Weight from which on a group is full: a commit holds everything else up for as long as it takes. */
const MAX_WEIGHT = 2000;

/**
 * Creates the groups of a commit that blocks. It runs once whatever has arrived by now is here: one request alone
 * waits for nothing, and the requests that came while the last commit ran are one group.
 */
export function createGroups<T, R>(commit: (items: readonly T[]) => readonly Outcome<R>[]): Groups<T, R> {
  let waiting: Waiting<T, R>[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  function commitGroup(): void {
    const group = takeGroup();
    try {
      const outcomes = commit(group.map(({ item }) => item));
      for (const [index, { resolve, reject }] of group.entries()) {
        const outcome = outcomes[index];
        if (outcome !== undefined && "result" in outcome) resolve(outcome.result);
        else reject(outcome?.error);
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  function takeGroup(): readonly Waiting<T, R>[] {
    let weight = 0;
    const end = waiting.findIndex((entry) => (weight += entry.weight) >= MAX_WEIGHT);
    const group = end < 0 ? waiting : waiting.slice(0, end + 1);
    waiting = waiting.slice(group.length);
    return group;
  }

  function schedule(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (waiting.length > 0) commitGroup();
      if (waiting.length > 0) schedule();
    }, 0);
  }

  return {
    add: (item, weight) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, weight, resolve, reject });
        schedule();
      }),
    flush: () => {
      clearTimeout(timer);
      timer = undefined;
      while (waiting.length > 0) commitGroup();
    },
  };
}
