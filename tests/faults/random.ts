/** A source of random numbers that a seed repeats. */
export interface Random {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** Returns a number between two others. */
  between(low: number, high: number): number;
  /** Returns the items in another order. */
  shuffle<T>(items: readonly T[]): T[];
}

/** Creates it (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    between: (low, high) => low + next() * (high - low),
    shuffle: (items) =>
      items.map((item) => ({ item, rank: next() })).sort((a, b) => a.rank - b.rank).map(({ item }) => item),
  };
}
