import { MAX_WAIT_MS, MIN_BACKOFF_MS } from "../base/limits.ts";
import type { PageEnvironment } from "../platform/environment.ts";
import { createTimer } from "../platform/timer.ts";

/** Whether anything may be sent now. */
export interface Link {
  /**
   * Returns whether it's in a state: `"open"`, `"waiting"` after a failure, when requests may leave with the page alone, or
   * `"stopped"` until the next `init()`.
   */
  is(name: "open" | "waiting" | "stopped"): boolean;
  /** Returns whether a server asked to be left alone for now, which holds as the page goes, too. */
  isHeld(): boolean;
  /**
   * Waits after a failure.
   *
   * @param retryAfterMs What the server asked for, in milliseconds.
   * @returns How long, in milliseconds.
   */
  wait(retryAfterMs: number): number;
  /** Ends a backoff. What a server asked for goes on. */
  reopen(): void;
  /** Ends all sending. */
  stop(): void;
  /** Starts afresh. */
  reset(): void;
}

/** `failures` are those in a row; `heldUntilMs` is the end of a `Retry-After`, by `elapsed()`. */
interface State {
  readonly is: "open" | "waiting" | "stopped";
  readonly failures: number;
  readonly heldUntilMs: number;
}

const OPEN: State = { is: "open", failures: 0, heldUntilMs: 0 };

/**
 * Creates a link that is open.
 *
 * @param onOpen Hears that a wait is over.
 */
export function createLink(page: PageEnvironment, onOpen: () => void): Link {
  let state: State = OPEN;
  const become = (next: State): void => {
    waker.cancel();
    state = next;
  };
  const waker = createTimer(page, () => {
    become({ ...OPEN, failures: state.failures });
    onOpen();
  });
  const link: Link = {
    is: (name) => state.is === name,
    isHeld: () => page.elapsed() < state.heldUntilMs,
    wait(retryAfterMs) {
      const nowMs = page.elapsed();
      const failures = state.failures + Number(link.is("open")); // several requests that left with the page are one attempt
      const heldUntilMs = Math.max(state.heldUntilMs, nowMs + Math.min(retryAfterMs, MAX_WAIT_MS));
      const backoffMs = Math.min(MIN_BACKOFF_MS * 2 ** (failures - 1), MAX_WAIT_MS);
      const delayMs = Math.max(backoffMs * (1 + page.random()) / 2, heldUntilMs - nowMs);
      become({ is: "waiting", failures, heldUntilMs });
      waker.arm(delayMs);
      return delayMs;
    },
    reopen() {
      if (!link.is("stopped") && !link.isHeld()) become(OPEN);
    },
    stop: () => become({ ...OPEN, is: "stopped" }),
    reset: () => become(OPEN),
  };
  return link;
}
