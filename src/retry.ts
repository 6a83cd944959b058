import { type Cancel, NO_ANSWER, type PageEnvironment, type TransportAnswer } from "./environment/environment.ts";

/** Limit of the first backoff; it doubles from there (CONTRACT 23). */
export const MIN_BACKOFF_MS = 1000;

/** Longest backoff (CONTRACT 23). */
export const MAX_BACKOFF_MS = 60_000;

/** Longest Retry-After that is obeyed (CONTRACT 23). */
export const MAX_RETRY_AFTER_MS = 300_000;

/** Network failures in a row after which sending is suspended (CONTRACT 23). */
export const MAX_NETWORK_FAILURES = 10;

/** The policy of waiting between attempts. A wait is a timer, not a time: the clock may be set while it runs. */
export interface Retry {
  /** Notes that an attempt failed, and waits. Returns whether a later one of the same batch may succeed. */
  failed(answer: TransportAnswer): boolean;
  /**
   * Ends backoff and suspension, but no Retry-After: an attempt succeeded, or the network or the visitor came back.
   *
   * @param isSuspensionOnly Whether a backoff goes on.
   */
  wake(isSuspensionOnly?: boolean): void;
  /** Whether a request may be sent now. A page that goes ignores backoff, but not Retry-After. */
  canSend(isExit?: boolean): boolean;
  /** Stops waiting. */
  cancel(): void;
}

/** Creates the policy: full-jitter exponential backoff, Retry-After, suspension; `onReady` hears that a wait is over. */
export function createRetry(environment: PageEnvironment, onReady: () => void): Retry {
  let failures = 0;
  let networkFailures = 0;
  /** Ends the wait, while there is one. */
  let wait: Cancel | undefined;
  /** Whether the ingest asked for the wait. */
  let isHeld = false;
  const retry: Retry = {
    failed({ status, retryAfterMs }) {
      if (![NO_ANSWER, 408, 425, 429].includes(status) && (status < 500 || [501, 505].includes(status))) return false;
      networkFailures = status ? 0 : networkFailures + 1;
      const backoffMs = environment.random() * Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** failures++);
      if (isHeld && retryAfterMs === undefined) return true;
      wait?.();
      isHeld = retryAfterMs !== undefined;
      wait = networkFailures < MAX_NETWORK_FAILURES
        ? environment.setTimer(() => {
          retry.cancel();
          onReady();
        }, Math.min(retryAfterMs ?? backoffMs, MAX_RETRY_AFTER_MS))
        : () => {}; // suspended until somebody wakes it
      return true;
    },
    wake(isSuspensionOnly) {
      if (isSuspensionOnly && networkFailures < MAX_NETWORK_FAILURES) return;
      failures = networkFailures = 0;
      if (!isHeld) retry.cancel();
    },
    canSend: (isExit) => !wait || (!!isExit && !isHeld),
    cancel() {
      wait?.();
      wait = undefined;
      isHeld = false;
    },
  };
  return retry;
}
