import { assertEquals } from "@std/assert";
import { parseRetryAfter } from "../../../src/client/platform/time.ts";

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
