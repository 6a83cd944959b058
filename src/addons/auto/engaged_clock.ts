import { attempt } from "../../client/base/attempt.ts";
import type { PageEnvironment } from "../../client/platform/environment.ts";

/** Milliseconds between two looks at the focus while it's in a frame. */
const FRAME_LOOK_MS = 1000;

/** Counts how long a page is visible and focused. */
export interface EngagedClock {
  /** Returns the milliseconds of engagement since `reset()`, and looks whether the page is engaged with now. */
  count(): number;
  /** Looks after a delay in milliseconds. */
  countLater(delayMs: number): void;
  /** Starts from zero. */
  reset(): void;
  /** Stops until it counts again. */
  stop(): void;
}

/**
 * Creates a clock that stands still.
 *
 * @param page Returns the page: another one may take its place.
 */
export function createEngagedClock(page: () => PageEnvironment): EngagedClock {
  let engagedMs = 0;
  /** Since when the page is engaged with, by `elapsed()`; undefined while it isn't. */
  let sinceMs: number | undefined;
  let cancelLook: (() => void) | undefined;

  const clock: EngagedClock = {
    count() {
      const nowMs = page().elapsed();
      if (sinceMs !== undefined) engagedMs += nowMs - sinceMs;
      sinceMs = document.visibilityState === "visible" && document.hasFocus() ? nowMs : undefined;
      // From a frame the focus goes to another window without an event here.
      if (sinceMs !== undefined && isFocusInFrame()) clock.countLater(FRAME_LOOK_MS);
      return engagedMs;
    },
    countLater(delayMs) {
      cancelLook?.();
      cancelLook = page().setTimer(() => attempt(clock.count), delayMs);
    },
    reset() {
      clock.count();
      engagedMs = 0;
    },
    stop() {
      sinceMs = undefined;
      cancelLook?.();
    },
  };
  return clock;
}

/** Returns whether the focus is in a frame of the page, say in a video or a payment field: one of an open shadow tree, too. */
function isFocusInFrame(): boolean {
  let element = document.activeElement;
  while (element?.shadowRoot) element = element.shadowRoot.activeElement;
  return /^(i?frame|object|embed|fencedframe|webview)$/.test(element?.localName ?? "");
}
