/** Random choices that a seed repeats. */
export interface Random {
  /** Returns a number from 0 up to 1. */
  next(): number;
  /** Returns a whole number from 0 up to the limit. */
  below(limit: number): number;
  /** Returns an item, the first ones far more often than the last: the usual shape of pages and sources. */
  popular<T>(items: readonly [T, ...T[]]): T;
  /** Returns a UUID v4. */
  uuid(): string;
}

/** Creates a generator of pseudo-random numbers (mulberry32); nothing here is fit for secrets. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  function below(limit: number): number {
    return Math.floor(next() * limit);
  }

  function hex(digits: number): string {
    return below(16 ** digits).toString(16).padStart(digits, "0");
  }

  return {
    next,
    below,
    // The n-th of N items about n times as rarely as the first, like words and web pages (Zipf).
    popular: (items) => items[Math.min(items.length, Math.floor(items.length ** next())) - 1] ?? items[0],
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${"89ab".charAt(below(4))}${hex(3)}-${hex(8)}${hex(4)}`,
  };
}
