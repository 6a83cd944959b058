import type { BusyCode } from "./busy.ts";
import { createTally } from "./tally.ts";

/** Settings of {@linkcode createGate}. */
export interface GateOptions {
  /** Most requests at work at a time. */
  readonly maxPending: number;
  /** Answers a request that is turned away. */
  readonly turnAway: (code: BusyCode) => Response;
}

/** Lets no more requests to work than the process can hold. */
export interface Gate {
  /** Does the work, or turns the request away: at once, or when its time is over. Rejects where the work does. */
  run(work: () => Promise<Response>, timeMs: number): Promise<Response>;
  /** Returns how many requests are at work. */
  pending(): number;
  /** Resolves when no request is at work. */
  idle(): Promise<void>;
}

/**
 * Creates a gate. A request counts until its work has ended, also when its sender was answered before: a sink that
 * hangs fills the gate, and not the memory.
 */
export function createGate({ maxPending, turnAway }: GateOptions): Gate {
  const pending = createTally();

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
