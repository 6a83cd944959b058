import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import * as v from "valibot";
import { copyFullBody } from "../../../src/ingest/contract/copy_full_body.ts";
import { FULL_BODY } from "../../../src/ingest/contract/full_body.ts";
import { EVENT, FULL } from "../fixtures.ts";
import { mutatedBody, validBody } from "./schema_arbitrary.ts";

const RUNS = 600;

/** One of several texts, mostly one that is right. */
function mostly(right: readonly string[], ...odd: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...right) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  );
}

/** Times near the edges of what is one. */
const TIMES = fc.tuple(
  mostly(["2026", "2024", "2100", "0000"], "999", "20260"),
  mostly(["01", "02", "04", "12"], "00", "13"),
  mostly(["01", "28", "29", "30", "31"], "00", "32"),
  mostly(["00:00:00", "23:59:59"], "24:00:00", "23:60:00", "23:59:60", "7:00:00"),
  mostly(["", ".0", ".000", ".123456789"], ".1234567890", ".", ",000"),
  mostly(["Z", "+00:00"], "z", "-00:00", "+01:00", ""),
).map(([year, month, day, time, fraction, zone]) => `${year}-${month}-${day}T${time}${fraction}${zone}`);

/** Reads as the ingest does: what JSON can't hold never comes. */
function parse(body: unknown): Record<string, unknown> | undefined {
  const parsed: unknown = JSON.parse(JSON.stringify(body));
  return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed) ? { ...parsed } : undefined;
}

/** Returns whether the copy was made; fails where the schema says otherwise, or makes something else of the body. */
function isCopied(body: unknown): boolean {
  const parsed = parse(body);
  const copy = parsed && copyFullBody(parsed);
  if (copy === undefined) return false;
  const { success, output } = v.safeParse(FULL_BODY, parsed);
  assert(success, JSON.stringify(body));
  // The order of the fields too: it's the one of what is stored.
  assertEquals(JSON.stringify(copy), JSON.stringify(output));
  return true;
}

Deno.test("copyFullBody() makes what the schema makes, and nothing of what the schema refuses", () => {
  let [copied, left] = [0, 0];

  fc.assert(
    fc.property(fc.oneof(validBody, mutatedBody), (body) => {
      if (isCopied(body)) copied += 1;
      else left += 1;
    }),
    { numRuns: RUNS },
  );

  assert(copied > RUNS / 20 && left > RUNS / 20, `${copied} copied, ${left} left to the schema`);
});

Deno.test("copyFullBody() takes the times that the schema takes, and writes them as it does", () => {
  const seen = { true: 0, false: 0 };

  fc.assert(
    fc.property(TIMES, (timestamp) => {
      const body = { ...FULL, events: [{ ...EVENT, timestamp }] };
      const isTaken = isCopied(body);
      seen[`${isTaken}`] += 1;
      assertEquals(isTaken, v.is(FULL_BODY, body), timestamp);
    }),
    { numRuns: RUNS },
  );

  assert(seen.true > 20 && seen.false > 20, JSON.stringify(seen));
});

Deno.test("copyFullBody() copies what the SDK sends, without the fields that nobody knows", () => {
  const body = { ...FULL, later: 1, events: [{ ...EVENT, later: 1 }, { ...EVENT, id: "e-2" }] };

  assert(isCopied(body));
});
