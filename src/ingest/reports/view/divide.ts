import { isFew } from "../query/few.ts";

/** Divides; null where there is nothing to divide by, and of a small count that isn't told. */
export function divide(part: number, whole: number): number | null {
  return whole === 0 || isFew(part) || isFew(whole) ? null : part / whole;
}

/** Limits a sum: JSON has no infinity, so that one of huge numbers is the largest one, and no -0. */
export function toNumber(sum: number): number {
  return 0 + Math.min(Math.max(sum, -Number.MAX_VALUE), Number.MAX_VALUE);
}
