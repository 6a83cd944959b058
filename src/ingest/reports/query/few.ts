/**
 * Small counts that aren't told. A link to share shows its figures to anybody: a count of a few could be of people whom the
 * reader knows.
 *
 * @module
 */

/** Counts from 1 to one less aren't told, and the others are rounded to its multiples. */
export const FEW_BELOW = 5;

/** Half the limit, so that sums come out about right; and a little more, so that no other figure is the same number. */
const FEW = FEW_BELOW / 2 + 2 ** -20;

/** The text in place of a small count. */
export const FEW_TEXT: string = `fewer than ${FEW_BELOW}`;

/** Returns whether a number stands for a small count. */
export function isFew(value: unknown): boolean {
  return value === FEW;
}

/** Rounds a count, so that what isn't told can't be subtracted from a larger one. */
export function coarsenCount(count: number): number {
  return 0 < count && count < FEW_BELOW ? FEW : roundCount(count);
}

/** Rounds a sum or a difference of rounded counts: where small ones are among these, it is no whole number. */
export function toCount(sum: number): number {
  return Number.isInteger(sum) ? sum : coarsenCount(sum);
}

/** Rounds a sum, such as one of money, to two digits. */
export function coarsenSum(sum: number): number {
  return Number(sum.toPrecision(2));
}

function roundCount(count: number): number {
  return Math.round(count / FEW_BELOW) * FEW_BELOW;
}
