/** How long a test waits for what has to come, in milliseconds: far beyond what a loaded machine needs. */
const LIMIT_MS = 10_000;

/** Conditions that are looked at whenever something happened. */
export interface Watch {
  /** Resolves once the condition holds; rejects with the description when it doesn't within the limit. */
  until(holds: () => boolean, describe: () => string): Promise<void>;
  /** Says that something happened. */
  notify(): void;
}

/** Creates a watch. */
export function createWatch(): Watch {
  const listeners = new Set<() => void>();
  return {
    async until(holds, describe) {
      if (holds()) return;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const timer = setTimeout(() => reject(new Error(describe())), LIMIT_MS);
      const listener = (): void => {
        if (holds()) resolve();
      };
      listeners.add(listener);
      try {
        await promise;
      } finally {
        clearTimeout(timer);
        listeners.delete(listener);
      }
    },
    notify() {
      for (const listener of [...listeners]) listener();
    },
  };
}
