import { assertEquals } from "@std/assert";
import {
  addDays,
  countDays,
  formatRange,
  formatWeekday,
  isDay,
  listDays,
  toDay,
} from "../../../../src/ingest/reports/query/days.ts";

Deno.test("isDay() knows the days that exist", () => {
  assertEquals(isDay("2026-01-31"), true);
  assertEquals(isDay("2024-02-29"), true);
  assertEquals(isDay("0000-01-01"), true);
  assertEquals(isDay("9999-12-31"), true);
});

Deno.test("isDay() knows the days that don't", () => {
  const texts = ["2026-02-29", "2026-02-30", "2026-13-01", "2026-00-10", "2026-01-00", "2026-1-1", "20260101", ""];

  assertEquals(texts.filter(isDay), []);
  assertEquals(isDay("2026-01-31T00:00"), false);
  assertEquals(isDay(" 2026-01-31"), false);
  assertEquals(isDay("2026-01-31\n"), false);
  assertEquals(isDay("+02026-01-31"), false);
  assertEquals(isDay("２０２６-01-31"), false);
});

Deno.test("addDays() goes over the ends of months and years, and stops at the ends of time", () => {
  assertEquals(addDays("2026-01-31", 1), "2026-02-01");
  assertEquals(addDays("2024-03-01", -1), "2024-02-29");
  assertEquals(addDays("2026-01-01", -1), "2025-12-31");
  assertEquals(addDays("2026-03-29", 1), "2026-03-30");
  assertEquals(addDays("9999-12-31", 30), "9999-12-31");
  assertEquals(addDays("0000-01-01", -30), "0000-01-01");
});

Deno.test("listDays() has both ends, as many as countDays() says", () => {
  assertEquals(listDays("2026-02-27", "2026-03-01"), ["2026-02-27", "2026-02-28", "2026-03-01"]);
  assertEquals(listDays("2026-02-27", "2026-02-27"), ["2026-02-27"]);
  assertEquals(countDays("2026-02-27", "2026-03-01"), 3);
  assertEquals(countDays("2024-01-01", "2024-12-31"), 366);
});

Deno.test("toDay() is the day in UTC", () => {
  assertEquals(toDay(Date.parse("2026-01-01T00:30:00+01:00")), "2025-12-31");
});

Deno.test("days are written for people", () => {
  assertEquals(formatWeekday("2026-01-03"), "Sat 3 Jan 2026");
  assertEquals(formatRange("2025-12-01", "2026-01-31"), "1 Dec 2025 – 31 Jan 2026");
  assertEquals(formatRange("2025-12-01", "2025-12-01"), "1 Dec 2025");
});
