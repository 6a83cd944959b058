import type { PageEnvironment } from "./environment.ts";

/** A one-shot timer that runs once at a time. */
export interface Timer {
  /** Starts the timer unless it's running. */
  arm(delayMs: number): void;
  /** Stops it. */
  cancel(): void;
  /** Whether it's running. */
  isArmed(): boolean;
}

/** Creates a timer that can be armed again after it fired. */
export function createTimer(environment: PageEnvironment, callback: () => void): Timer {
  let cancel: (() => void) | undefined;
  return {
    arm(delayMs) {
      cancel ??= environment.setTimer(() => {
        cancel = undefined;
        callback();
      }, delayMs);
    },
    cancel() {
      cancel?.();
      cancel = undefined;
    },
    isArmed: () => !!cancel,
  };
}
