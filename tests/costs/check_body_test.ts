import { cpuUsage } from "node:process";
import { assertEquals } from "@std/assert";
import { HOSTILE_BODIES } from "../../scripts/bench/ingest/hostile_bodies.ts";
import { checkBody } from "../../src/ingest/http/read_batch.ts";

/** Rounds, of which the best counts. Other tests run in the same process, so what takes a millisecond needs more of them. */
const [ROUNDS, SMALL_ROUNDS] = [21, 60];

/** What checking may cost: so often what `JSON.parse` does, and so often a look at each byte, which coverage slows too. */
const [MAX_PARSES, MAX_READS] = [5, 15];

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

/** Measures time of the processor: on a busy machine most of the other is somebody else's. */
function measureMs(work: () => void): number {
  const start = cpuUsage();
  work();
  const { user, system } = cpuUsage(start);
  return (user + system) / 1000;
}

/** Measures by turns, and takes the best of each. */
function measure(text: string, count = ROUNDS): Readonly<Record<"parseMs" | "readMs" | "checkMs", number>> {
  const bytes = new TextEncoder().encode(text);
  const rounds = Array.from({ length: count }, () => ({
    parseMs: measureMs(() => tryToParse(text)),
    readMs: measureMs(() => void countQuotes(bytes)),
    checkMs: measureMs(() => void checkBody(bytes)),
  }));
  const best = (name: "parseMs" | "readMs" | "checkMs"): number => Math.min(...rounds.map((round) => round[name]));
  return { parseMs: best("parseMs"), readMs: best("readMs"), checkMs: best("checkMs") };
}

Deno.test("checkBody() costs no more than a few times JSON.parse, whatever the body", () => {
  const tooDear = HOSTILE_BODIES.flatMap(({ name, build }) => {
    const { parseMs, readMs, checkMs } = measure(build(150_000));
    const isTooDear = checkMs > MAX_PARSES * parseMs + MAX_READS * readMs;
    return isTooDear ? [`${name}: ${checkMs} ms, JSON.parse ${parseMs} ms, a look at each byte ${readMs} ms`] : [];
  });

  assertEquals(tooDear, []);
});

Deno.test("checkBody() takes no longer than a millisecond for a small body", () => {
  const slow = HOSTILE_BODIES.flatMap(({ name, build }) => {
    const text = build(SMALL_BYTES);
    const { checkMs } = measure(text, SMALL_ROUNDS);
    return text.length <= SMALL_BYTES && checkMs > SMALL_MS ? [`${name}: ${checkMs} ms`] : [];
  });

  assertEquals(slow, []);
});
