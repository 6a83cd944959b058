import type { PageEnvironment } from "../environment/environment.ts";
import { TITLE_DELAY_MS } from "../limits.ts";

/** An environment in which the near future can come at once. */
export interface ShortTimers {
  /** The environment, whose timers run as before. */
  readonly environment: PageEnvironment;
  /**
   * Fires the timers that make events of calls, in this task and without time passing: those of the next task, and the
   * one that a pageview awaits its title with.
   */
  fire(): void;
}

/** Watches the short timers of an environment. */
export function watchShortTimers(environment: PageEnvironment): ShortTimers {
  const timers = new Set<() => void>();
  return {
    environment: {
      ...environment,
      setTimer(callback, delayMs) {
        const cancel = environment.setTimer(() => {
          timers.delete(fire);
          callback();
        }, delayMs);
        const stop = (): void => {
          timers.delete(fire);
          cancel();
        };
        const fire = (): void => {
          stop();
          callback();
        };
        if (delayMs === 0 || delayMs === TITLE_DELAY_MS) timers.add(fire);
        return stop;
      },
    },
    fire() {
      // What these set themselves belongs to a later time.
      for (const fire of [...timers]) if (timers.has(fire)) fire();
    },
  };
}
