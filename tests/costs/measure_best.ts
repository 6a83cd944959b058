import { cpuUsage } from "node:process";

/**
 * How long it's measured at the most, in milliseconds. Other programs on the machine can only make work slower, so the
 * best result counts, and there is one between two of their turns.
 */
const MAX_MS = 10_000;

/** Least that is measured where the yardstick may be held up as well. */
const MIN_RATIO_ATTEMPTS = 3;

/** Measures until a result is within the limit, and returns the best one. */
export async function measureBest(limit: number, measure: () => number | Promise<number>): Promise<number> {
  const end = performance.now() + MAX_MS;
  let best = await measure();
  while (best > limit && performance.now() < end) best = Math.min(best, await measure());
  return best;
}

/**
 * Measures work and what it's compared with by turns, until the best of the one is within so many times the best of the
 * other, and returns how many times it is. The best of such ratios would be one whose yardstick was held up.
 */
export async function measureBestRatio(
  limit: number,
  measure: () => readonly [work: number, yardstick: number] | Promise<readonly [work: number, yardstick: number]>,
): Promise<number> {
  const end = performance.now() + MAX_MS;
  let [bestWork, bestYardstick] = [Infinity, Infinity];
  for (let attempt = 1; attempt <= MIN_RATIO_ATTEMPTS || performance.now() < end; attempt++) {
    const [work, yardstick] = await measure();
    [bestWork, bestYardstick] = [Math.min(bestWork, work), Math.min(bestYardstick, yardstick)];
    if (attempt >= MIN_RATIO_ATTEMPTS && bestWork / bestYardstick <= limit) break;
  }
  return bestWork / bestYardstick;
}

/** Returns the time of the processor that work takes, in milliseconds: on a busy machine the rest is somebody else's. */
export function timeMs(work: () => unknown): number {
  const start = cpuUsage();
  work();
  const { user, system } = cpuUsage(start);
  return (user + system) / 1000;
}
