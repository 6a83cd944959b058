import type { BusyCode } from "./answer_busy.ts";
import { createInFlightCounter } from "./in_flight_counter.ts";

/** Settings of {@linkcode createConcurrencyLimit}. */
export interface ConcurrencyLimitOptions {
  /** Most requests at work at a time. */
  readonly maxPending: number;
  /** Answers a request that is turned away. */
  readonly turnAway: (code: BusyCode) => Response;
}

/** Lets no more requests to work than the process can hold. */
export interface ConcurrencyLimit {
  /** Does the work, or turns the request away: at once, or when its time is over. Rejects where the work does. */
  run(work: () => Promise<Response>, timeMs: number): Promise<Response>;
  /** Returns how many requests are at work. */
  pending(): number;
  /** Resolves when no request is at work. */
  idle(): Promise<void>;
}

/**
 * Creates a limit. A request counts until its work has ended, also when its sender was answered before: a sink that
 * hangs reaches the limit, and doesn't fill the memory.
 */
export function createConcurrencyLimit({ maxPending, turnAway }: ConcurrencyLimitOptions): ConcurrencyLimit {
  const pending = createInFlightCounter();

  return {
    run: (work, timeMs) => {
      if (pending.size() >= maxPending) return Promise.resolve(turnAway("overloaded"));
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => resolve(turnAway("timeout")), timeMs);
        pending.count(work()).finally(() => clearTimeout(timer)).then(resolve, reject);
      });
    },
    pending: pending.size,
    idle: pending.idle,
  };
}
