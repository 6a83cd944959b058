import type { PageEnvironment } from "./environment.ts";

/** A one-shot timer. */
export interface Timer {
  /** Starts the timer, or lets it start over with a shorter delay. */
  arm(delayMs: number): void;
  /** Starts the timer, and lets go of what was left to wait. */
  restart(delayMs: number): void;
  /** Stops it. */
  cancel(): void;
}

/** Creates a timer that can be armed again after it fired. */
export const createTimer: (environment: Pick<PageEnvironment, "setTimer">, callback: () => void) => Timer = ((
  environment,
  callback,
) => {
  let cancel: (() => void) | undefined;
  let armedMs = 0;
  const timer: Timer = {
    arm(delayMs) {
      if (!cancel || delayMs < armedMs) timer.restart(delayMs);
    },
    restart(delayMs) {
      cancel?.();
      armedMs = delayMs;
      cancel = environment.setTimer(() => {
        cancel = undefined;
        callback();
      }, delayMs);
    },
    cancel() {
      cancel?.();
      cancel = undefined;
    },
  };
  return timer;
}) satisfies typeof createTimer;
