/** Returns the median of some numbers; NaN of none. */
export function findMedian(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 ? upper : (upper + (sorted[middle - 1] ?? NaN)) / 2;
}

/** Returns the values in random order. */
export function shuffle<T>(values: readonly T[]): T[] {
  const shuffled = [...values];
  for (let last = shuffled.length - 1; last > 0; last--) {
    const [value] = shuffled.splice(Math.floor(Math.random() * (last + 1)), 1);
    if (value !== undefined) shuffled.push(value);
  }
  return shuffled;
}
