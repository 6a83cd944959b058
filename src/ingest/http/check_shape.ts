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

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];

/** What begins a list of values, `[` and `{`, and what ends it. */
const [OPEN_ARRAY, OPEN_OBJECT, CLOSE_ARRAY, CLOSE_OBJECT] = [0x5b, 0x7b, 0x5d, 0x7d];

/**
 * Refuses a body that would cost more to parse and to check than its size says. Counts in the bytes, since parsing is
 * most of that cost; whether they are JSON is left to the parser.
 */
export function checkShape(bytes: Uint8Array): Refusal | undefined {
  let values = 1;
  let level = 0;
  let isInString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (isInString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isInString = false;
    } else if (byte === QUOTE) {
      isInString = true;
    } else if (byte === COMMA) {
      values += 1;
      if (values > MAX_VALUES) return TOO_MANY_VALUES;
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      values += 1;
      level += 1;
      if (level > MAX_NESTING_LEVELS) return TOO_DEEP;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      level -= 1;
    }
  }
}
