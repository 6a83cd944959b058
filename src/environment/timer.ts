import type { PageEnvironment } from "./environment.ts";

/** A one-shot timer that runs once at a time. */
export interface Timer {
  /** Starts the timer unless it's running. */
  arm(delayMs: number): void;
  /** Starts the timer, and lets go of what was left to wait. */
  restart(delayMs: number): void;
  /** Stops it. */
  cancel(): void;
  /** Whether it's running. */
  isArmed(): boolean;
}

/** Creates a timer that can be armed again after it fired. */
export function createTimer(environment: PageEnvironment, callback: () => void): Timer {
  let cancel: (() => void) | undefined;
  const timer: Timer = {
    arm(delayMs) {
      cancel ??= environment.setTimer(() => {
        cancel = undefined;
        callback();
      }, delayMs);
    },
    restart(delayMs) {
      timer.cancel();
      timer.arm(delayMs);
    },
    cancel() {
      cancel?.();
      cancel = undefined;
    },
    isArmed: () => !!cancel,
  };
  return timer;
}
