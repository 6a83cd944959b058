import type { Batch } from "./batch.ts";
import type { PageEnvironment } from "./environment/environment.ts";
import { TIMEOUT_MS } from "./limits.ts";

/** The calls of `flush()` that wait. */
export interface Flushes {
  /** Waits until none of the batches that are queued now is left, or those have come to rest, for 30 s at most. */
  wait(): Promise<void>;
  /** Ends the waits that are over: all, once what is queued `isAtRest`. */
  settle(isAtRest?: boolean): void;
}

/** Creates the flushes of a queue's batches. */
export function createFlushes(environment: PageEnvironment, batches: readonly Batch[]): Flushes {
  /** Each returns whether it waits on. */
  let calls: ((isAtRest?: boolean) => boolean)[] = [];
  return {
    wait: () =>
      new Promise((resolve) => {
        const queued = new Set(batches);
        const cancel = environment.setTimer(resolve, TIMEOUT_MS);
        calls.push((isAtRest) => {
          if (!isAtRest && batches.some((batch) => queued.has(batch))) return true;
          cancel();
          resolve();
          return false;
        });
      }),
    settle(isAtRest) {
      calls = calls.filter((call) => call(isAtRest));
    },
  };
}
