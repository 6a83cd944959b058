const LOW_BITS = 32n;

/**
 * Returns 64 bits that stand for a text, as a signed number; 0 for an empty one. Two of 10 million share them with a chance
 * of 3 in a million. Nothing secret rests on it.
 */
export function hashText(text: string): bigint {
  if (text === "") return 0n;
  // Two lanes of multiplications that mix each other at the end (cyrb53 of bryc, with all bits kept).
  let [one, other] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    one = Math.imul(one ^ unit, 0x9e3779b1);
    other = Math.imul(other ^ unit, 0x5f356495);
  }
  one = Math.imul(one ^ (one >>> 16), 0x85ebca6b) ^ Math.imul(other ^ (other >>> 13), 0xc2b2ae35);
  other = Math.imul(other ^ (other >>> 16), 0x85ebca6b) ^ Math.imul(one ^ (one >>> 13), 0xc2b2ae35);
  return BigInt(other) << LOW_BITS | BigInt(one >>> 0) || 1n;
}
