/** Knows everything that was started, and ends it. */
export interface Keeper {
  /**
   * Starts something. It is ended with everything else, even if it is still starting by then.
   *
   * @throws {DOMException} Once the signal has come: nothing is started any more.
   */
  start<T>(begin: () => T | Promise<T>, end: (started: T) => Promise<unknown>): Promise<T>;
  /** Ends everything, the last first. What has ended by itself is no fault. */
  endAll(): Promise<void>;
}

/** Creates a keeper that has nothing yet, and starts things until the signal. */
export function createKeeper(signal: AbortSignal): Keeper {
  const ends: (() => Promise<unknown>)[] = [];
  return {
    async start(begin, end) {
      signal.throwIfAborted();
      const starting = Promise.resolve(begin());
      ends.push(() => starting.then(end));
      return await starting;
    },
    async endAll() {
      for (const end of ends.splice(0).reverse()) await end().catch(() => {});
    },
  };
}
