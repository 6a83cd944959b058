/**
 * The scales of a chart.
 *
 * @module
 */
import { countDays, formatMonth, formatShortDay, listDays } from "./days.ts";

/** A name below the chart. */
export interface Tick {
  /** Place of its day, 0 for the first one. */
  readonly index: number;
  /** The name. */
  readonly label: string;
}

/** Lines across a chart, the base line not counted. */
export const GRID_LINES = 4;

/** Most names of days below a chart: what fits on a phone. */
const MAX_TICKS = 5;

/** From how many days on the names are those of months. */
const MONTHLY_DAYS = 120;

/** First digits of a round top whose quarters are round as well. */
const TOPS = [1, 2, 4, 6, 8, 10] as const;

/** Finds the round number that a scale from 0 ends at. Its quarters are whole numbers. */
export function findTop(most: number): number {
  const magnitude = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, most))));
  const top = magnitude * (TOPS.find((one) => one * magnitude >= most) ?? 10);
  return Math.ceil(top / GRID_LINES) * GRID_LINES;
}

/** Chooses the days of a range that are named. */
export function chooseTicks(from: string, to: string): readonly Tick[] {
  const days = listDays(from, to).map((day, index) => ({ day, index }));
  const isMonthly = countDays(from, to) >= MONTHLY_DAYS;
  const candidates = isMonthly ? days.filter(({ day }) => day.endsWith("-01")) : days;
  const every = Math.ceil(candidates.length / MAX_TICKS);
  return candidates.filter((_, place) => place % every === 0)
    .map(({ day, index }) => ({ index, label: isMonthly ? formatMonth(day) : formatShortDay(day) }));
}
