/**
 * Names of the parts of a period.
 *
 * @module
 */
import {
  addDays,
  countDays,
  formatDay,
  formatMonth,
  formatShortDay,
  formatWeekday,
  isWeekStart,
  type WeekStart,
} from "../query/days.ts";
import { findPart, type Note } from "../query/notes.ts";
import type { PartUnit } from "../query/periods.ts";
import type { Page } from "./page.ts";

/** Parts of a period, and how they are named. */
export interface Named<P = { readonly from: string }> {
  readonly unit: PartUnit;
  readonly parts: readonly P[];
  /** Last day of the period. */
  readonly to: string;
  /** Day that weeks begin on; Monday where it's absent. */
  readonly weekStart?: WeekStart | undefined;
}

/** From how many days on the names below a chart are those of a week's first days. */
const WEEKLY_TICKS = 15;

const DAYS_OF_WEEK = 7;

/** Names a part: `Mon 30 Mar 2026, 14:00`, a day, or the days of a week or a month. */
export function namePart({ unit, parts, to }: Named, index: number): string {
  const from = parts[index]?.from ?? to;
  if (unit === "hour") return `${formatWeekday(from.slice(0, to.length))}, ${from.slice("2026-01-31T".length)}`;
  if (unit === "day") return formatWeekday(from);
  const next = parts[index + 1]?.from;
  const last = next === undefined ? to : addDays(next, -1);
  return from === last ? formatDay(from) : `${formatShortDay(from)} – ${formatDay(last)}`;
}

/** Names a part below a chart; undefined for most. */
export function namePartShortly({ unit, parts, weekStart }: Named, index: number): string | undefined {
  const from = parts[index]?.from ?? "";
  if (unit === "hour") return nameHour(from, parts.length);
  if (unit === "day") {
    return parts.length < WEEKLY_TICKS || isWeekStart(from, weekStart) ? formatShortDay(from) : undefined;
  }
  // Of years, a name would be of several.
  if (unit === "month") return `${formatMonth(from)} ${from.slice(0, 4)}`;
  // The first week of a month that is whole.
  const before = index === 0 ? addDays(from, -DAYS_OF_WEEK) : parts[index - 1]?.from ?? "";
  const isFirst = Number(from.slice("2026-01-".length)) <= DAYS_OF_WEEK && from.slice(0, 7) !== before.slice(0, 7);
  return isFirst ? formatMonth(from) : undefined;
}

/** Names each sixth hour of a day; of several days, the first hour of each. */
function nameHour(from: string, count: number): string | undefined {
  const [day = "", clock = ""] = from.split("T");
  if (count > 30) return clock === "00:00" ? formatShortDay(day) : undefined;
  return /^(00|06|12|18):00$/.test(clock) ? clock : undefined;
}

/** When it is: the day, and the clock while the days that were asked for aren't over. */
export type Moment = Pick<Page, "today" | "clock">;

/** Finds the part that isn't over; -1 where all are. */
export function findRunning({ unit, parts }: Pick<Named, "unit" | "parts">, { today, clock }: Moment): number {
  if (clock === undefined) return -1;
  const now = unit === "hour" ? `${today}T${clock}` : today;
  return parts.findLastIndex(({ from }) => from <= now);
}

/** Finds the parts that aren't over or aren't whole. */
export function findPartial(named: Named, moment: Moment): ReadonlySet<number> {
  return new Set([findRunning(named, moment), ...findCut(named)]);
}

/** Finds the weeks and months of which the days that were asked for have a few. */
function findCut({ unit, parts, to }: Named): readonly number[] {
  const endOf = (index: number): string => parts[index + 1]?.from ?? addDays(to, 1);
  if (unit === "month") {
    return parts.flatMap(({ from }, index) => from.endsWith("-01") && endOf(index).endsWith("-01") ? [] : [index]);
  }
  if (unit !== "week") return [];
  return parts.flatMap(({ from }, index) => countDays(from, endOf(index)) - 1 < DAYS_OF_WEEK ? [index] : []);
}

/** Finds the parts that have a day of a note. */
export function findMarked({ parts }: Pick<Named, "parts">, notes: readonly Note[]): ReadonlySet<number> {
  return new Set(notes.map(({ day }) => findPart(parts, day)));
}
