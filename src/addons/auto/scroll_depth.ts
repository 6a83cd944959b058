import { attempt } from "../../client/base/attempt.ts";
import type { PageEnvironment } from "../../client/platform/environment.ts";

/** Depth down to which a page is in sight. */
export interface Depth {
  /** In percent of its height. */
  readonly percent: number;
  /** Whether a part of the page scrolls in place of it: how deep the visitor was isn't known then. */
  readonly isShell: boolean;
}

/** Measures how far a page was scrolled. */
export interface DepthMeter {
  /** Measures now, and no later time that was asked for. */
  measure(): void;
  /** Measures after a delay in milliseconds, unless it will do so anyway. */
  measureLater(delayMs: number): void;
  /** Measures at no later time that was asked for. */
  cancel(): void;
}

/**
 * Creates a meter.
 *
 * @param page Returns the page: another one may take its place.
 * @param onMeasured Hears of each measurement.
 */
export function createDepthMeter(page: () => PageEnvironment, onMeasured: (depth: Depth) => void): DepthMeter {
  let cancel: (() => void) | undefined;

  const meter: DepthMeter = {
    measure() {
      meter.cancel();
      const height = document.documentElement.scrollHeight;
      const bottom = globalThis.scrollY + globalThis.innerHeight;
      const percent = height > 0 ? Math.min(100, Math.max(0, Math.round(bottom / height * 100))) : 0;
      onMeasured({ percent, isShell: hasInnerScroll() });
    },
    measureLater(delayMs) {
      cancel ??= page().setTimer(() => attempt(meter.measure), delayMs);
    },
    cancel() {
      cancel?.();
      cancel = undefined;
    },
  };
  return meter;
}

/** Returns whether a part of the page scrolls in its place, as in many applications: further than the page does. */
function hasInnerScroll(): boolean {
  const rangeOf = (element: Element): number => element.scrollHeight - element.clientHeight;
  const root = document.documentElement;
  let element = document.elementFromPoint(globalThis.innerWidth / 2, globalThis.innerHeight / 2);
  while (element && element !== root) {
    const isScroller = /auto|scroll/.test(globalThis.getComputedStyle(element).overflowY);
    if (isScroller && rangeOf(element) > Math.max(0, rangeOf(root))) return true;
    element = element.parentElement;
  }
  return false;
}
