import { assertEquals } from "@std/assert";
import type { WeekStart } from "../../../../src/ingest/reports/query/days.ts";
import { findPeriods, type Period, type Periods } from "../../../../src/ingest/reports/query/periods.ts";
import type { Comparison } from "../../../../src/ingest/reports/query/view_query.ts";
import { createZone, UTC } from "../../../../src/ingest/reports/query/zones.ts";

const HOUR_MS = 3_600_000;

interface Asked {
  readonly zone?: string;
  readonly compare?: Comparison;
  readonly weekStart?: WeekStart;
  /** Long after, unless it is named. */
  readonly now?: string;
}

function find(
  from: string,
  to: string,
  { zone = "UTC", compare = "before", now = "2030-01-01T00:00Z", ...others }: Asked = {},
): Periods {
  return findPeriods({ from, to, compare, zone: createZone(zone) ?? UTC, ...others }, Date.parse(now));
}

const spanOf = ({ startMs, endMs }: Period): readonly string[] =>
  [startMs, endMs].map((moment) => new Date(moment).toISOString().replace(":00.000", ""));

for (
  const [from, to, first, last] of [
    ["2026-03-30", "2026-04-01", "2026-03-23", "2026-03-25"],
    ["2026-03-30", "2026-04-05", "2026-03-23", "2026-03-29"],
    ["2026-03-25", "2026-04-05", "2026-03-11", "2026-03-22"],
  ] as const
) {
  Deno.test(`findPeriods() puts the same weekdays before beside ${from} to ${to}`, () => {
    const { before } = find(from, to, { zone: "UTC", compare: "weeks" });

    assertEquals([before.from, before.to], [first, last]);
  });
}

Deno.test("findPeriods() puts as many days before beside a range, or the same weekdays a year ago", () => {
  const { current, before } = find("2026-03-30", "2026-04-05", { zone: "Europe/Berlin" });
  const year = find("2026-03-30", "2026-04-05", { zone: "Europe/Berlin", compare: "year" });

  assertEquals(spanOf(current), ["2026-03-29T22:00Z", "2026-04-05T22:00Z"]);
  // A week of 167 hours: the clocks were changed on its last day.
  assertEquals([before.from, before.to, ...spanOf(before)], [
    "2026-03-23",
    "2026-03-29",
    "2026-03-22T23:00Z",
    "2026-03-29T22:00Z",
  ]);
  assertEquals([year.before.from, year.before.to, ...spanOf(year.before)], [
    "2025-03-31",
    "2025-04-06",
    "2025-03-30T22:00Z",
    "2025-04-06T22:00Z",
  ]);
});

Deno.test("findPeriods() ends the days before at the same hour of clocks while the range isn't over", () => {
  const today = find("2026-03-29", "2026-03-29", { zone: "Europe/Berlin", now: "2026-03-29T12:20Z" });
  const week = find("2026-03-23", "2026-03-29", { now: "2026-03-29T14:20Z" });
  const over = find("2026-03-22", "2026-03-28", { now: "2026-03-29T00:00Z" });

  assertEquals([today.isRunning, ...spanOf(today.before)], [true, "2026-03-27T23:00Z", "2026-03-28T13:20Z"]);
  assertEquals([week.isRunning, ...spanOf(week.before)], [true, "2026-03-16T00:00Z", "2026-03-22T14:20Z"]);
  assertEquals([over.isRunning, ...spanOf(over.before)], [false, "2026-03-15T00:00Z", "2026-03-22T00:00Z"]);
  assertEquals(today.before.bounds.length - 1, 15);
});

Deno.test("findPeriods() cuts up to 3 days into hours, from 120 on into weeks, from 400 on into months, and others into days", () => {
  const partsOf = (from: string, to: string, asked: Asked = {}): readonly [string, number, number] => {
    const { unit, current, before } = find(from, to, asked);
    return [unit, current.bounds.length - 1, before.bounds.length - 1];
  };

  assertEquals(partsOf("2026-03-01", "2026-03-03"), ["hour", 72, 72]);
  assertEquals(partsOf("2026-03-29", "2026-03-29", { zone: "Europe/Berlin" }), ["hour", 23, 24]);
  assertEquals(partsOf("2026-03-01", "2026-03-04"), ["day", 4, 4]);
  assertEquals(partsOf("2026-03-01", "2026-06-27"), ["day", 119, 119]);
  assertEquals(partsOf("2026-03-01", "2026-06-28"), ["week", 18, 18]);
  assertEquals(partsOf("2025-03-01", "2026-04-03"), ["week", 58, 58]);
  assertEquals(partsOf("2025-03-01", "2026-04-04"), ["month", 14, 14]);
  assertEquals(partsOf("2021-03-15", "2026-03-31"), ["month", 61, 61]);
  // Samoa left the 30th out.
  assertEquals(partsOf("2011-12-28", "2011-12-31", { zone: "Pacific/Apia" }), ["day", 3, 4]);
});

Deno.test("findPeriods() puts the same days of the month before beside a month that runs, and one that is over", () => {
  const beforeOf = (from: string, to: string): readonly string[] => {
    const { before } = find(from, to, { compare: "month" });
    return [before.from, before.to];
  };

  assertEquals(beforeOf("2026-03-01", "2026-03-14"), ["2026-02-01", "2026-02-14"]);
  assertEquals(beforeOf("2026-02-01", "2026-02-28"), ["2026-01-01", "2026-01-28"]);
  assertEquals(beforeOf("2026-01-15", "2026-01-20"), ["2025-12-15", "2025-12-20"]);
  // A day that the month before hasn't stands beside its last one, and a month beside none of its own days.
  assertEquals(beforeOf("2026-03-31", "2026-03-31"), ["2026-02-28", "2026-02-28"]);
  assertEquals(beforeOf("2026-03-29", "2026-03-31"), ["2026-02-28", "2026-02-28"]);
  assertEquals(beforeOf("2024-03-01", "2024-03-31"), ["2024-02-01", "2024-02-29"]);
  assertEquals(beforeOf("2026-04-01", "2026-04-30"), ["2026-03-01", "2026-03-30"]);
  // As many days, though February is in between.
  assertEquals(beforeOf("2026-02-15", "2026-03-15"), ["2026-01-15", "2026-02-12"]);
});

Deno.test("findPeriods() ends a shorter month before with its last day, also while the month that was asked for runs", () => {
  const beforeAt = (to: string, now?: string): readonly unknown[] => {
    const { before } = find("2026-03-01", to, { compare: "month", ...(now && { now }) });
    return [...spanOf(before), before.bounds.length - 1];
  };

  assertEquals(beforeAt("2026-03-31"), ["2026-02-01T00:00Z", "2026-03-01T00:00Z", 28]);
  assertEquals(beforeAt("2026-03-30", "2026-03-30T10:00Z"), ["2026-02-01T00:00Z", "2026-03-01T00:00Z", 28]);
  assertEquals(beforeAt("2026-03-14", "2026-03-14T10:00Z"), ["2026-02-01T00:00Z", "2026-02-14T10:00Z", 14]);
});

Deno.test("findPeriods() begins weeks on the day that is named", () => {
  const weekdaysOf = (weekStart: "sunday" | "saturday"): ReadonlySet<number> =>
    new Set(
      find("2026-01-01", "2026-05-31", { weekStart }).current.bounds.slice(1, -1).map((moment) =>
        new Date(moment).getUTCDay()
      ),
    );

  assertEquals([weekdaysOf("sunday"), weekdaysOf("saturday")], [new Set([0]), new Set([6])]);
});

Deno.test("findPeriods() begins weeks on Mondays, but for the first", () => {
  const { current, before } = find("2026-01-01", "2026-05-31");
  const weekdays = current.bounds.slice(1, -1).map((moment) => new Date(moment).getUTCDay());

  assertEquals(new Date(current.bounds[0] ?? 0).toISOString().slice(0, 10), "2026-01-01");
  assertEquals(new Set(weekdays), new Set([1]));
  assertEquals(
    current.bounds.map((moment, index) => (moment - (before.bounds[index] ?? 0)) / HOUR_MS / 24),
    current.bounds.map(() => 151),
  );
});
