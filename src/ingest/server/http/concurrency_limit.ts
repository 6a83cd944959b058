import type { Answer } from "../../http/answers.ts";
import type { BusyCode } from "./answer_busy.ts";
import { createDeadlines } from "./deadlines.ts";
import { createInFlightCounter } from "./in_flight_counter.ts";

/** Settings of {@linkcode createConcurrencyLimit}. */
export interface ConcurrencyLimitOptions {
  /** Most requests at work at a time. */
  readonly maxPending: number;
  /** Answers a request that is turned away. */
  readonly turnAway: (code: BusyCode) => Answer;
}

/** Lets no more requests to work than the process can hold. */
export interface ConcurrencyLimit {
  /**
   * Does the work, or turns the request away: at once, or when its time is over, by `performance.now()`. Rejects where
   * the work does.
   */
  run(work: () => Answer | Promise<Answer>, endMs: number): Promise<Answer>;
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
  const deadlines = createDeadlines();

  return {
    run: (work, endMs) => {
      if (pending.size() >= maxPending) return Promise.resolve(turnAway("overloaded"));
      pending.begin();
      return new Promise((resolve, reject) => {
        const deadline = { endMs, onOver: () => resolve(turnAway("timeout")) };
        const end = (): void => {
          deadlines.remove(deadline);
          pending.end();
        };
        deadlines.add(deadline);
        Promise.resolve(work()).then((answer) => {
          end();
          resolve(answer);
        }, (error) => {
          end();
          reject(error);
        });
      });
    },
    pending: pending.size,
    idle: pending.idle,
  };
}
