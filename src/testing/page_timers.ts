import type { Cancel } from "../client/platform/environment.ts";
import type { Clock } from "./clock.ts";

/** The timers of a page. */
export interface PageTimers {
  /** Calls back once, when the page has been alive for the delay; as browsers do, reads it as a 32-bit integer. */
  set(callback: () => void, delayMs: number): Cancel;
  /** Stops time for the page. */
  pause(): void;
  /** Lets it go on: time that passed while paused doesn't count (HTML standard, run steps after a timeout). */
  resume(): void;
}

interface PageTimer {
  readonly callback: () => void;
  remainingMs: number;
  startedMs: number;
  cancel?: Cancel | undefined;
}

/** Creates the timers of a page. */
export function createPageTimers(clock: Clock): PageTimers {
  const timers = new Set<PageTimer>();
  let isPaused = false;

  const start = (timer: PageTimer): void => {
    timer.startedMs = clock.elapsed();
    timer.cancel = clock.setTimer(() => {
      timers.delete(timer);
      timer.callback();
    }, timer.remainingMs);
  };
  return {
    set(callback, delayMs) {
      const timer: PageTimer = { callback, remainingMs: Math.max(0, delayMs | 0), startedMs: 0 };
      timers.add(timer);
      if (!isPaused) start(timer);
      return () => {
        timers.delete(timer);
        timer.cancel?.();
      };
    },
    pause() {
      if (isPaused) return;
      isPaused = true;
      for (const timer of timers) {
        timer.cancel?.();
        timer.remainingMs -= clock.elapsed() - timer.startedMs;
      }
    },
    resume() {
      if (!isPaused) return;
      isPaused = false;
      for (const timer of timers) start(timer);
    },
  };
}
