import { cpuUsage } from "node:process";
import { assertEquals } from "@std/assert";
import { HOSTILE_BODIES } from "../../scripts/bench_ingest/hostile_bodies.ts";
import { checkBody } from "../../src/ingest/request/read_batch.ts";

const ROUNDS = 7;

/** What checking may cost: so often what `JSON.parse` does, and this for each byte, since all of them are read. */
const [MAX_RATIO, READ_NS_PER_BYTE] = [5, 20];

/** What is a small body, and what it may cost, in milliseconds. */
const [SMALL_BYTES, SMALL_MS] = [10_000, 1];

function tryToParse(text: string): void {
  try {
    JSON.parse(text);
  } catch {
    // Not all of them are JSON.
  }
}

/** Measures time of the processor: on a busy machine most of the other is somebody else's. */
function measureMs(work: () => void): number {
  const start = cpuUsage();
  work();
  const { user, system } = cpuUsage(start);
  return (user + system) / 1000;
}

/** Measures both by turns, and takes the best of each. */
function compare(text: string): { readonly parseMs: number; readonly checkMs: number; readonly bytes: number } {
  const bytes = new TextEncoder().encode(text);
  const rounds = Array.from({ length: ROUNDS }, () => ({
    parseMs: measureMs(() => tryToParse(text)),
    checkMs: measureMs(() => void checkBody(bytes)),
  }));
  return {
    parseMs: Math.min(...rounds.map(({ parseMs }) => parseMs)),
    checkMs: Math.min(...rounds.map(({ checkMs }) => checkMs)),
    bytes: bytes.byteLength,
  };
}

Deno.test("checkBody() costs no more than a few times JSON.parse, whatever the body", () => {
  const tooDear = HOSTILE_BODIES.flatMap(({ name, build }) => {
    const { parseMs, checkMs, bytes } = compare(build(150_000));
    const isTooDear = checkMs > MAX_RATIO * parseMs + (bytes * READ_NS_PER_BYTE) / 1e6;
    return isTooDear ? [`${name}: ${checkMs} ms, JSON.parse ${parseMs} ms`] : [];
  });

  assertEquals(tooDear, []);
});

Deno.test("checkBody() takes no longer than a millisecond for a small body", () => {
  const slow = HOSTILE_BODIES.flatMap(({ name, build }) => {
    const { checkMs, bytes } = compare(build(SMALL_BYTES));
    return bytes <= SMALL_BYTES && checkMs > SMALL_MS ? [`${name}: ${checkMs} ms`] : [];
  });

  assertEquals(slow, []);
});
