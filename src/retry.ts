import { NO_ANSWER, type PageEnvironment, type TransportAnswer } from "./environment/environment.ts";
import { createTimer } from "./environment/timer.ts";

/** Limit of the first backoff; it doubles from there (CONTRACT 23). */
export const MIN_BACKOFF_MS = 1000;

/** Longest backoff (CONTRACT 23). */
export const MAX_BACKOFF_MS = 60_000;

/** Longest Retry-After that is obeyed (CONTRACT 23). */
export const MAX_RETRY_AFTER_MS = 300_000;

/** Network failures in a row after which sending is suspended (CONTRACT 23). */
export const MAX_NETWORK_FAILURES = 10;

/** The policy of waiting between attempts. Waits are timers, not times: the clock may be set while one runs. */
export interface Retry {
  /** Notes that an attempt failed. Returns whether a later one of the same batch may succeed. */
  failed(answer: TransportAnswer): boolean;
  /** Ends the backoff, unless only suspension is to end: an attempt succeeded, or the network or the visitor came back. */
  wake(isSuspensionOnly?: boolean): void;
  /** Whether a request may be sent now. A page that goes ignores backoff, but not Retry-After. */
  canSend(isExit?: boolean): boolean;
  /** Stops waiting. */
  cancel(): void;
}

/** Creates the policy: full-jitter exponential backoff, Retry-After, suspension; `onReady` hears that a wait is over. */
export function createRetry(environment: PageEnvironment, onReady: () => void): Retry {
  const backoff = createTimer(environment, onReady);
  const hold = createTimer(environment, onReady);
  let failures = 0;
  let networkFailures = 0;
  return {
    failed({ status, retryAfterMs }) {
      if (![NO_ANSWER, 408, 425, 429].includes(status) && (status < 500 || status === 501 || status === 505)) {
        return false;
      }
      networkFailures = status ? 0 : networkFailures + 1;
      backoff.arm(environment.random() * Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** failures++));
      if (retryAfterMs !== undefined) {
        hold.cancel();
        hold.arm(Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
      }
      return true;
    },
    wake(isSuspensionOnly) {
      if (isSuspensionOnly && networkFailures < MAX_NETWORK_FAILURES) return;
      failures = networkFailures = 0;
      backoff.cancel();
    },
    canSend: (isExit = false) =>
      !hold.isArmed() && (isExit || (!backoff.isArmed() && networkFailures < MAX_NETWORK_FAILURES)),
    cancel() {
      backoff.cancel();
      hold.cancel();
    },
  };
}
