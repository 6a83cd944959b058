import { assertEquals, assertThrows } from "@std/assert";
import { parseRetryAfter, toIsoTimestamp } from "../../src/environment/time.ts";

const NOW_MS = Date.UTC(2026, 2, 1, 10);

Deno.test("toIsoTimestamp() writes UTC with milliseconds", () => {
  assertEquals(toIsoTimestamp(NOW_MS + 7), "2026-03-01T10:00:00.007Z");
});

Deno.test("toIsoTimestamp() knows no time beyond those of ECMAScript", () => {
  assertThrows(() => toIsoTimestamp(8.64e15 + 1), RangeError);
});

Deno.test("parseRetryAfter() reads seconds", () => {
  assertEquals(parseRetryAfter("120", NOW_MS), 120_000);
  assertEquals(parseRetryAfter("0", NOW_MS), 0);
  assertEquals(parseRetryAfter("007", NOW_MS), 7000);
});

Deno.test("parseRetryAfter() reads a date", () => {
  assertEquals(parseRetryAfter("Sun, 01 Mar 2026 10:02:00 GMT", NOW_MS), 120_000);
});

Deno.test("parseRetryAfter() takes a date in the past for now", () => {
  assertEquals(parseRetryAfter("Sun, 01 Mar 2026 09:00:00 GMT", NOW_MS), 0);
});

Deno.test("parseRetryAfter() reads the obsolete forms of a date (RFC 9110, 5.6.7)", () => {
  assertEquals(parseRetryAfter("Sunday, 01-Mar-26 10:02:00 GMT", NOW_MS), 120_000);
});

Deno.test("parseRetryAfter() says nothing where there is nothing to read", () => {
  assertEquals(parseRetryAfter(null, NOW_MS), undefined);
  assertEquals(parseRetryAfter("", NOW_MS), undefined);
  assertEquals(parseRetryAfter("soon", NOW_MS), undefined);
  assertEquals(parseRetryAfter("5 s", NOW_MS), undefined);
});

Deno.test("parseRetryAfter() reads any number of digits", () => {
  assertEquals(parseRetryAfter("9".repeat(400), NOW_MS), Infinity);
});
