import type { PageEnvironment } from "./environment.ts";

/** A one-shot timer. */
export interface Timer {
  /** Starts the timer, or lets it start over with a shorter delay. */
  arm(delayMs: number): void;
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
  return {
    arm(delayMs) {
      if (cancel && !(delayMs < armedMs)) return;
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
}) satisfies typeof createTimer;
