import { buildMalformed, buildRefusal, type Refusal } from "../contract/refusal.ts";

/**
 * Deepest nesting of a body. The SDK's own bodies stay far below; beyond this bound recursive code, ours or a sink's,
 * could run out of stack.
 */
const MAX_NESTING_LEVELS = 100;

/**
 * Most values of a body: a million zeros are a thousand bytes of gzip. The largest batch of the SDK has 60,000 bytes,
 * which hold no more than 30,000.
 */
const MAX_VALUES = 100_000;

const TOO_DEEP: Refusal = buildMalformed(`body must not nest deeper than ${MAX_NESTING_LEVELS} levels`);

const TOO_MANY_VALUES: Refusal = buildRefusal(
  "too_many_values",
  `body must hold at most ${MAX_VALUES} JSON values`,
);

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** The meaning of a byte outside of a string: nothing, one more value, and one more level or one less. */
const [NOTHING, COMMA, OPEN, CLOSE, STRING] = [0, 1, 2, 3, 4];

/** The meaning of each byte. */
const MEANINGS: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (character === ",") return COMMA;
  if (character === '"') return STRING;
  if (character === "[" || character === "{") return OPEN;
  return character === "]" || character === "}" ? CLOSE : NOTHING;
});

/**
 * Refuses a body that would cost more to parse and to check than its size says. Counts in the bytes, since parsing is
 * most of that cost; whether they are JSON is left to the parser.
 */
export function checkShape(bytes: Uint8Array): Refusal | undefined {
  const { length } = bytes;
  let values = 1;
  let level = 0;
  for (let at = 0; at < length; at++) {
    const meaning = MEANINGS[bytes[at] ?? 0];
    if (meaning === NOTHING) continue;
    if (meaning === STRING) {
      at += 1;
      while (at < length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
      continue;
    }
    if (meaning === CLOSE) {
      level -= 1;
      continue;
    }
    values += 1;
    if (values > MAX_VALUES) return TOO_MANY_VALUES;
    if (meaning === COMMA) continue;
    level += 1;
    if (level > MAX_NESTING_LEVELS) return TOO_DEEP;
  }
}
