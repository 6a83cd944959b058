/** Returns the median of some numbers; NaN of none. */
export function findMedian(values: readonly number[]): number {
  return findQuantile(values, 0.5);
}

/** Returns the value below which a share of some numbers lies, from 0 to 1; NaN of none. */
export function findQuantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const lower = sorted[Math.floor(at)] ?? NaN;
  const upper = sorted[Math.ceil(at)] ?? NaN;
  return lower + (upper - lower) * (at % 1);
}

/** Returns the values in random order. */
export function shuffle<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, order: Math.random() }))
    .toSorted((one, other) => one.order - other.order)
    .map(({ value }) => value);
}
