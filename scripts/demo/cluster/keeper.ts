/** Knows everything that was started, and ends it. */
export interface Keeper {
  /** Resolves to what starts. It is ended with everything else, even if it is still starting by then. */
  keep<T>(starting: Promise<T>, end: (started: T) => Promise<unknown>): Promise<T>;
  /** Ends everything, the last first. What has ended by itself is no fault. */
  endAll(): Promise<void>;
}

/** Creates a keeper that has nothing yet. */
export function createKeeper(): Keeper {
  const ends: (() => Promise<unknown>)[] = [];
  return {
    keep(starting, end) {
      ends.push(() => starting.then(end));
      return starting;
    },
    async endAll() {
      for (const end of ends.splice(0).reverse()) await end().catch(() => {});
    },
  };
}
