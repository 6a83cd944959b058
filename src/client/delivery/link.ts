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
  /** Returns whether nothing may leave with the page either: a server asked to be left alone for now, or it's stopped. */
  isHeld(): boolean;
  /**
   * Waits after a failure.
   *
   * @param retryAfterMs What the server asked for, in milliseconds.
   * @returns How long, in milliseconds.
   */
  wait(retryAfterMs: number): number;
  /** Ends a backoff. What a server asked for goes on. */
  open(): void;
  /** Ends all sending. */
  stop(): void;
  /** Starts afresh, for the same account (`isSame`) after a stop alone: a wait goes on. */
  reset(isSame?: boolean): void;
}

/** Parts that a link works with. */
export interface LinkParts {
  /** Goes on when a wait is over. */
  readonly delivery: { pump(): void };
}

/** Creates a link that is open. */
export const createLink: (parts: LinkParts, page: PageEnvironment) => Link = ((parts, page) => {
  let state: "open" | "waiting" | "stopped" = "open";
  /** Doubled with each failure in a row. */
  let backoffMs = 0;
  /** When the `Retry-After` ends, by `elapsed()`. */
  let heldUntilMs = 0;
  const waker = createTimer(page, () => {
    state = "open";
    parts.delivery.pump();
  });
  const link: Link = {
    is: (name) => state === name,
    isHeld: () => page.elapsed() < heldUntilMs,
    wait(retryAfterMs) {
      const nowMs = page.elapsed();
      // Several requests that left with the page are one attempt.
      if (state === "open") backoffMs = Math.min(backoffMs * 2 || MIN_BACKOFF_MS, MAX_WAIT_MS);
      state = "waiting";
      heldUntilMs = Math.max(heldUntilMs, nowMs + Math.min(retryAfterMs, MAX_WAIT_MS));
      const delayMs = Math.max(backoffMs * (1 + page.random()) / 2, heldUntilMs - nowMs);
      waker.cancel();
      waker.arm(delayMs);
      return delayMs;
    },
    open() {
      if (!link.isHeld()) link.reset();
    },
    stop() {
      link.reset();
      state = "stopped";
      heldUntilMs = Infinity;
    },
    reset(isSame) {
      if (isSame && state !== "stopped") return;
      waker.cancel();
      state = "open";
      backoffMs = heldUntilMs = 0;
    },
  };
  return link;
}) satisfies typeof createLink;
