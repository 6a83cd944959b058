import { attempt } from "../../client/base/attempt.ts";
import type { PageEnvironment } from "../../client/platform/environment.ts";

/** The page is measured at most this often while it's scrolled, and so long after it was opened. */
const MEASURE_MS = 200;
const FIRST_MEASURE_MS = 1000;

/** Measures how far a page was scrolled. */
export interface DepthMeter {
  /** Starts over with another page, which is measured once it had time to appear. */
  begin(): void;
  /** Measures now. */
  measure(): void;
  /** The visitor scrolls: measures soon. */
  scrolled(): void;
  /** Returns whether the visitor scrolled deeper than was recorded. */
  isDeeper(): boolean;
  /** Returns the deepest point in sight so far, in percent of the height; nothing where a part scrolls in the page's place. */
  record(): number | undefined;
  /** Measures no more. */
  stop(): void;
}

/** Sight of a page. */
interface Sight {
  /** Deepest point of it, in percent. */
  percent: number;
  /** The one that was recorded. */
  recordedPercent: number;
  /** Whether the visitor got there by scrolling. */
  isScrolled: boolean;
  /** Whether a part of the page scrolls in place of it: how deep the visitor was isn't known then. */
  isShell: boolean;
}

/**
 * Creates a meter that measures nothing yet.
 *
 * @param page Returns the page: another one may take its place.
 */
export function createDepthMeter(page: () => PageEnvironment): DepthMeter {
  let sight = createSight();
  let cancel: (() => void) | undefined;

  const meter: DepthMeter = {
    begin() {
      sight = createSight();
      meter.stop();
      measureLater(FIRST_MEASURE_MS);
    },
    measure() {
      meter.stop();
      const height = document.documentElement.scrollHeight;
      const bottom = globalThis.scrollY + globalThis.innerHeight;
      const percent = height > 0 ? Math.min(100, Math.round(bottom / height * 100)) : 0;
      sight.percent = Math.max(sight.percent, percent);
      sight.isShell ||= hasInnerScroll();
    },
    scrolled() {
      if (!sight.isScrolled) meter.stop(); // the first one would come too late
      sight.isScrolled = true;
      measureLater(MEASURE_MS);
    },
    isDeeper: () => sight.isScrolled && sight.percent > sight.recordedPercent,
    record() {
      sight.recordedPercent = sight.percent;
      return sight.isShell ? undefined : sight.percent;
    },
    stop() {
      cancel?.();
      cancel = undefined;
    },
  };
  const measureLater = (delayMs: number): void => {
    cancel ??= page().setTimer(() => attempt(meter.measure), delayMs);
  };
  return meter;
}

function createSight(): Sight {
  return { percent: 0, recordedPercent: 0, isScrolled: false, isShell: false };
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
