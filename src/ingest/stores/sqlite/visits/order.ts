/** Compares by code points, as SQL does: half of a character beyond the first plane is behind all that are whole. */
export function compareTexts(one: string, other: string): number {
  const isAstral = (unit: number): boolean => unit >= 0xd800 && unit < 0xe000;
  const end = Math.min(one.length, other.length);
  for (let index = 0; index < end; index++) {
    const [left, right] = [one.charCodeAt(index), other.charCodeAt(index)];
    if (left === right) continue;
    if (isAstral(left) !== isAstral(right) && left >= 0xd800 && right >= 0xd800) return isAstral(left) ? 1 : -1;
    return left - right;
  }
  return one.length - other.length;
}
