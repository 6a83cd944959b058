import { assertEquals } from "@std/assert";
import { chooseTicks, findTop } from "../../../src/ingest/reports/chart.ts";

Deno.test("findTop() is round, high enough and divides by four", () => {
  assertEquals([0, 1, 4, 5, 8, 9, 10, 11, 21].map(findTop), [4, 4, 4, 8, 8, 12, 12, 20, 40]);
  assertEquals([99, 100, 101, 4708, 10_001, 999_999].map(findTop), [100, 100, 200, 6000, 20_000, 1_000_000]);
});

Deno.test("chooseTicks() names days of a short range and months of a long one", () => {
  assertEquals(chooseTicks("2026-02-27", "2026-03-01"), [
    { index: 0, label: "27 Feb" },
    { index: 1, label: "28 Feb" },
    { index: 2, label: "1 Mar" },
  ]);
  assertEquals(chooseTicks("2026-01-01", "2026-01-31").map(({ label }) => label), [
    "1 Jan",
    "8 Jan",
    "15 Jan",
    "22 Jan",
    "29 Jan",
  ]);
  assertEquals(chooseTicks("2025-11-21", "2026-11-20"), [
    { index: 10, label: "Dec" },
    { index: 100, label: "Mar" },
    { index: 192, label: "Jun" },
    { index: 284, label: "Sep" },
  ]);
});
