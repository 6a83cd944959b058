import { MAX_WAIT_MS, MIN_BACKOFF_MS } from "../client/base/limits.ts";
import { createTimer } from "../client/platform/timer.ts";
import { setTimer } from "./set_timer.ts";

/** Whether anything may be sent now. */
export interface SenderLink {
  /** Returns whether it's open, waits after a failure, or is stopped for good. */
  state(): "open" | "waiting" | "stopped";
  /** Ends a row of failures. */
  succeed(): void;
  /** Waits after a failure, at least as long as the server asked for; returns how long. Both are milliseconds. */
  wait(retryAfterMs: number): number;
  /** Ends all sending. */
  stop(): void;
}

/**
 * Creates a link that is open.
 *
 * @param onOpen Goes on when a wait is over.
 */
export function createSenderLink(onOpen: () => void): SenderLink {
  let state: "open" | "waiting" | "stopped" = "open";
  /** Failures in a row. */
  let failures = 0;
  const waker = createTimer({ setTimer }, () => {
    state = "open";
    onOpen();
  });
  return {
    state: () => state,
    succeed() {
      failures = 0;
    },
    wait(retryAfterMs) {
      failures += 1;
      const backoffMs = Math.min(MIN_BACKOFF_MS * 2 ** (failures - 1), MAX_WAIT_MS);
      const delayMs = Math.max(backoffMs * (1 + Math.random()) / 2, Math.min(retryAfterMs, MAX_WAIT_MS));
      state = "waiting";
      waker.cancel();
      waker.arm(delayMs);
      return delayMs;
    },
    stop() {
      state = "stopped";
      waker.cancel();
    },
  };
}
