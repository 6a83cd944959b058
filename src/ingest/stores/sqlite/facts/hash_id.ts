import { createHash } from "node:crypto";

/** Returns 53 bits that stand for an id: two of a million share them with a chance of one in 18,000. */
export function hashId(text: string): number {
  const bytes = createHash("sha256").update(text).digest();
  return bytes.readUInt32BE(0) * 2 ** 21 + (bytes.readUInt32BE(4) >>> 11);
}
