import { TIMEOUT_MS } from "../client/base/limits.ts";
import type { Sender } from "./options.ts";
import { setTimer } from "./set_timer.ts";

/** The outcome of steps. */
export type Outcome = Awaited<ReturnType<Sender["flush"]>>;

/** A step by its number in the order of the calls. */
export interface Numbered {
  readonly number: number;
}

/** Which steps are stored or lost, and who waits to hear of it. */
export interface Settlements {
  /** Returns the number of the next step. */
  count(): number;
  /** Takes steps for stored or lost. */
  settle(steps: readonly Numbered[], outcome: Outcome): void;
  /** Resolves when all steps so far are stored or lost, after 30 s at the latest: what isn't stored by then is unavailable. */
  whenSettled(): Promise<Outcome>;
}

/** Hears what became of steps. */
type Waiter = (steps: readonly Numbered[], outcome: Outcome) => void;

/** Creates the account of a sender that took no step yet. */
export function createSettlements(): Settlements {
  const waiters = new Set<Waiter>();
  let taken = 0;
  let settled = 0;
  return {
    count() {
      taken += 1;
      return taken;
    },
    settle(steps, outcome) {
      settled += steps.length;
      for (const waiter of waiters) waiter(steps, outcome);
    },
    whenSettled: () =>
      new Promise((resolve) => {
        const last = taken;
        let left = taken - settled;
        const outcomes = new Set<Outcome>();
        const end = (): void => {
          cancel();
          waiters.delete(waiter);
          // To send all of it again helps where it helps one.
          if (left > 0 || outcomes.has("unavailable")) return resolve("unavailable");
          resolve(outcomes.has("refused") ? "refused" : "stored");
        };
        const waiter: Waiter = (steps, outcome) => {
          for (const { number } of steps) {
            if (number > last) continue; // it came after the call
            left -= 1;
            outcomes.add(outcome);
          }
          if (left === 0) end();
        };
        const cancel = setTimer(end, TIMEOUT_MS);
        waiters.add(waiter);
        waiter([], "stored");
      }),
  };
}
