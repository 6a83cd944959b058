/** Waits that can be cut short. */
export interface Pauses {
  /** Resolves after the time, or when all end. */
  pause(ms: number): Promise<void>;
  /** Ends all that are under way. */
  end(): void;
}

/** Creates pauses that leave no timer behind. */
export function createPauses(): Pauses {
  const ends = new Set<() => void>();
  return {
    pause: (ms) =>
      new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          ends.delete(end);
          resolve();
        };
        const timer = setTimeout(end, ms);
        ends.add(end);
      }),
    end() {
      for (const end of [...ends]) end();
    },
  };
}

/** Resolves after the time. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Looks every 25 ms whether something holds, as long as the limit; returns whether it did. */
export async function poll(holds: () => boolean | Promise<boolean>, limitMs: number): Promise<boolean> {
  const endMs = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > endMs) return false;
    await pause(25);
  }
  return true;
}
