import { assert } from "@std/assert";
import { HOSTILE_BODIES } from "../../scripts/bench/ingest/hostile_bodies.ts";
import { checkBody } from "../../src/ingest/http/read_batch.ts";
import { measureBest, measureBestRatio, timeMs } from "./measure_best.ts";

/** Rounds that measure by turns, of which the best counts. */
const ROUNDS = 5;

/**
 * What checking may cost: so often what `JSON.parse` does, and so often a look at each byte. Engines parse a long string
 * faster than they decode it. The dearest body takes half of that.
 */
const [MAX_PARSES, MAX_READS] = [10, 30];

/** What is a small body, and what it may cost, in milliseconds. */
const [SMALL_BYTES, SMALL_MS] = [10_000, 1];

function tryToParse(text: string): void {
  try {
    JSON.parse(text);
  } catch {
    // Not all of them are JSON.
  }
}

/** Looks at each byte as plain code does. */
function countQuotes(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === 0x22) count += 1;
  }
  return count;
}

/** Returns what checking a body costs, and what it may. */
function measure(text: string): readonly [costMs: number, limitMs: number] {
  const bytes = new TextEncoder().encode(text);
  let [parseMs, readMs, checkMs] = [Infinity, Infinity, Infinity];
  for (let round = 0; round < ROUNDS; round++) {
    parseMs = Math.min(parseMs, timeMs(() => tryToParse(text)));
    readMs = Math.min(readMs, timeMs(() => countQuotes(bytes)));
    checkMs = Math.min(checkMs, timeMs(() => checkBody(bytes)));
  }
  return [checkMs, MAX_PARSES * parseMs + MAX_READS * readMs];
}

for (const { name, build } of HOSTILE_BODIES) {
  Deno.test(`checkBody() costs no more than a few times JSON.parse for ${name}`, async () => {
    const text = build(150_000);

    const share = await measureBestRatio(1, () => measure(text));

    assert(share <= 1, `${share} times what it may`);
  });

  Deno.test(`checkBody() takes no longer than a millisecond for a small body of ${name}`, async () => {
    const text = build(SMALL_BYTES);
    const bytes = new TextEncoder().encode(text);
    // Some can't be as small.
    const limitMs = SMALL_MS * Math.max(1, bytes.byteLength / SMALL_BYTES);

    const bestMs = await measureBest(limitMs, () => timeMs(() => checkBody(bytes)));

    assert(bestMs <= limitMs, `${bestMs} ms`);
  });
}
