import { addDays, countDaysOfWeek, type WeekStart } from "../../query/days.ts";
import type { RetentionUnit } from "./query.ts";

/** Most periods of retention. */
const MAX_PERIODS = 60;

/** Lists the first days of the periods that a range touches, and the one behind the last. */
export function listPeriods(
  unit: RetentionUnit,
  { from, to, weekStart }: { readonly from: string; readonly to: string; readonly weekStart?: WeekStart },
): readonly string[] {
  let start = unit === "week" ? addDays(from, -countDaysOfWeek(from, weekStart)) : findStart(unit, from);
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
  return unit === "month" ? `${day.slice(0, 7)}-01` : day;
}

function findNext(unit: RetentionUnit, start: string): string {
  if (unit !== "month") return addDays(start, unit === "week" ? 7 : 1);
  return `${addDays(start, 31).slice(0, 7)}-01`;
}
