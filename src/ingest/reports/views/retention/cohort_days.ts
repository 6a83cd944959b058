import { addDays, countDaysSinceMonday } from "../../query/days.ts";
import type { RetentionUnit } from "./query.ts";

/** Most periods of retention. */
const MAX_PERIODS = 60;

/** Lists the first days of the periods that a range touches, and the one behind the last. */
export function listPeriods(
  unit: RetentionUnit,
  { from, to }: { readonly from: string; readonly to: string },
): readonly string[] {
  let start = findStart(unit, from);
  const periods = [start];
  for (;;) {
    const next = findNext(unit, start);
    periods.push(next);
    // There is no day after the last of year 9999.
    if (next > to || next === start) return periods.slice(-MAX_PERIODS - 1);
    start = next;
  }
}

function findStart(unit: RetentionUnit, day: string): string {
  if (unit === "month") return `${day.slice(0, 7)}-01`;
  return unit === "week" ? addDays(day, -countDaysSinceMonday(day)) : day;
}

function findNext(unit: RetentionUnit, start: string): string {
  if (unit !== "month") return addDays(start, unit === "week" ? 7 : 1);
  return `${addDays(start, 31).slice(0, 7)}-01`;
}
