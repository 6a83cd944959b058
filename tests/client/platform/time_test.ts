import { assertEquals } from "@std/assert";
import { stub } from "@std/testing/mock";
import { parseRetryAfter, toIsoTimestamp } from "../../../src/client/platform/time.ts";

for (
  const [value, waitMs] of [
    ["120", 120_000],
    ["0", 0],
    ["007", 7000],
    ["9".repeat(400), Infinity],
    ["Sun, 01 Mar 2026 10:02:00 GMT", 120_000],
    ["Sunday, 01-Mar-26 10:02:00 GMT", 120_000], // the obsolete form (RFC 9110, 5.6.7)
    ["Sun, 01 Mar 2026 09:00:00 GMT", 0],
    [null, 0],
    ["", 0],
    ["soon", 0],
    ["5 s", 0],
  ] as const
) {
  Deno.test(`parseRetryAfter() reads ${value?.slice(0, 40)} as ${waitMs} ms`, () => {
    assertEquals(parseRetryAfter(value, Date.UTC(2026, 2, 1, 10)), waitMs);
  });
}

Deno.test("toIsoTimestamp() writes UTC, to the second, where a page has replaced the method by one that doesn't", () => {
  const times = [0, 1, 999, 1_706_700_000_123, 951_782_399_999, 4_102_444_800_000, 68_169_600_000];
  const expected = times.map((timeMs) => new Date(timeMs).toISOString().replace(/\.\d+/, ""));
  using _ = stub(Date.prototype, "toISOString", () => "2026-01-31T12:00:00+02:00");

  assertEquals(times.map(toIsoTimestamp), expected);
});
