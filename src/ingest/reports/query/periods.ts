/**
 * From which moment to which a view counts, and what stands beside it.
 *
 * @module
 */
import { addDays, addMonth, countDays, isWeekStart, listDays, type WeekStart } from "./days.ts";
import type { Range } from "./query.ts";
import type { Comparison } from "./view_query.ts";
import { listHours, startOfDay, toZoneDay, type Zone } from "./zones.ts";

/** Length of the parts of a period. */
export type PartUnit = "hour" | "day" | "week" | "month";

/** A span of time, in milliseconds since the Unix epoch. */
export interface Period extends Range {
  /** Its first moment. */
  readonly startMs: number;
  /** Its end. */
  readonly endMs: number;
  /** Where its parts begin, and where the last one ends. */
  readonly bounds: readonly number[];
}

/** A period and what stands beside it. */
export interface Periods {
  /** The days that were asked for. */
  readonly current: Period;
  /**
   * As many days earlier, but no more than the same ones of a month; they end at the same hour while those that were asked
   * for aren't over.
   */
  readonly before: Period;
  /** Length of the parts of both. */
  readonly unit: PartUnit;
  /** Whether the days that were asked for aren't over. */
  readonly isRunning: boolean;
}

/** Most days that are shown by hour, and from how many on they are shown by week and by month. */
const [MAX_HOURLY_DAYS, MIN_WEEKLY_DAYS, MIN_MONTHLY_DAYS] = [3, 120, 400] as const;

const DAY_MS = 86_400_000;

const WEEK_DAYS = 7;

/** A year in whole weeks. */
const YEAR_DAYS = 52 * WEEK_DAYS;

/** The days that periods are found for. */
export interface PeriodQuery extends Range {
  readonly zone: Zone;
  readonly compare: Comparison;
  /** Day that weeks begin on; Monday where it's absent. */
  readonly weekStart?: WeekStart;
}

/** Counts the days from the range that stands beside another one to that. */
export function countShift({ from, to, compare }: Omit<PeriodQuery, "zone">): number {
  const days = countDays(from, to);
  if (compare === "year") return YEAR_DAYS;
  if (compare === "month") return countDays(addMonth(from, -1), from) - 1;
  return compare === "weeks" ? Math.ceil(days / WEEK_DAYS) * WEEK_DAYS : days;
}

/** Finds the moments of a range of days, and of the one beside it. */
export function findPeriods({ from, to, zone, compare, weekStart }: PeriodQuery, now: number): Periods {
  const days = countDays(from, to);
  const shift = -countShift({ from, to, compare });
  const unit = findUnit(days);
  // One list for both, so that each part stands beside one of as many days.
  const starts = listDays(from, to).filter((day, index) =>
    index === 0 || (unit === "month" ? day.endsWith("-01") : unit !== "week" || isWeekStart(day, weekStart))
  );
  const endOf = (day: string): number => zone.toMoment(Date.parse(day) + DAY_MS);
  const build = (shiftDays: number, { to, endMs }: Pick<Period, "to" | "endMs">): Period => {
    const startMs = startOfDay(zone, addDays(from, shiftDays));
    const dayStarts = starts.map((day) => startOfDay(zone, addDays(day, shiftDays)));
    const moments = unit === "hour" ? listHours(zone, startMs, endMs) : dayStarts;
    return {
      from: addDays(from, shiftDays),
      to,
      startMs,
      endMs,
      bounds: listBounds(moments, endMs),
    };
  };
  const current = build(0, { to, endMs: endOf(to) });
  const isRunning = current.startMs <= now && now < current.endMs;
  // The hour of clocks, not the time that passed: between them, clocks may have been changed.
  const sameMs = zone.toMoment(Date.parse(addDays(toZoneDay(zone, now), shift)) + findClockMs(zone, now));
  const asMany = addDays(to, shift);
  // A month may be shorter than the one after it: beside March, February ends on its last day.
  const toBefore = compare === "month" && addMonth(to, -1) < asMany ? addMonth(to, -1) : asMany;
  const endMs = endOf(toBefore);
  const before = build(shift, { to: toBefore, endMs: isRunning ? Math.min(sameMs, endMs) : endMs });
  return { current, before, unit, isRunning };
}

function findUnit(days: number): PartUnit {
  if (days <= MAX_HOURLY_DAYS) return "hour";
  if (days < MIN_WEEKLY_DAYS) return "day";
  return days < MIN_MONTHLY_DAYS ? "week" : "month";
}

function findClockMs(zone: Zone, now: number): number {
  return zone.toClock(now) - Date.parse(toZoneDay(zone, now));
}

/** Ends the list of moments; what begins at the end or later is left out, and so is a day that a zone skipped. */
function listBounds(moments: readonly number[], endMs: number): readonly number[] {
  const starts = [...new Set(moments)].filter((moment) => moment < endMs);
  return starts.length === 0 ? [] : [...starts, endMs];
}
