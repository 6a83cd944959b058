import { nextTurn } from "../platform/next_turn.ts";

/** Outcome of one item of a group. */
export type Outcome<R> = { readonly result: R } | { readonly error: unknown };

/** Gathers what comes at the same time, so that it is committed together. */
export interface GroupCommit<T, R> {
  /** Adds an item that weighs so much; resolves or rejects once its group was committed. */
  add(item: T, weight: number): Promise<R>;
  /** Resolves when nothing waits, and no commit runs. */
  idle(): Promise<void>;
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
 * Creates a group commit. It runs once whatever has arrived by now is here: one request alone waits for
 * nothing, and the requests that come while a commit runs are the next group.
 */
export function createGroupCommit<T, R>(
  commit: (items: readonly T[]) => Promise<readonly Outcome<R>[]>,
): GroupCommit<T, R> {
  let waiting: Waiting<T, R>[] = [];
  let running: Promise<void> | undefined;

  async function commitGroup(): Promise<void> {
    const group = takeGroup();
    try {
      const outcomes = await commit(group.map(({ item }) => item));
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

  async function run(): Promise<void> {
    await nextTurn();
    while (waiting.length > 0) await commitGroup();
    running = undefined;
  }

  return {
    add: (item, weight) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, weight, resolve, reject });
        running ??= run();
      }),
    idle: async () => await running,
  };
}
