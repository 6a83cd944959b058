/**
 * How the parts of a period are named, and the chart of their pageviews.
 *
 * @module
 */
import type { Bar } from "./chart.ts";
import { addDays, formatDay, formatMonth, formatShortDay, formatWeekday, isMonday } from "../query/days.ts";
import { findPart, type Note } from "../query/notes.ts";
import type { PartUnit } from "../query/periods.ts";
import { formatCount, formatCountOf } from "./words.ts";
import type { ConsentView, OverviewView, PartCounts, StepPart } from "../views/views.ts";

/** Parts of a period, and how they are named. */
interface Named<P = { readonly from: string }> {
  readonly unit: PartUnit;
  readonly parts: readonly P[];
  /** Last day of the period. */
  readonly to: string;
}

/** From how many days on the names below a chart are those of Mondays. */
const WEEKLY_TICKS = 15;

const DAYS_OF_WEEK = 7;

/** Names a part: `Mon 30 Mar 2026, 14:00`, a day, or the days of a week. */
export function namePart({ unit, parts, to }: Named, index: number): string {
  const from = parts[index]?.from ?? to;
  if (unit === "hour") return `${formatWeekday(from.slice(0, to.length))}, ${from.slice("2026-01-31T".length)}`;
  if (unit === "day") return formatWeekday(from);
  const next = parts[index + 1]?.from;
  const last = next === undefined ? to : addDays(next, -1);
  return from === last ? formatDay(from) : `${formatShortDay(from)} – ${formatDay(last)}`;
}

/** Names a part below a chart; undefined for most. */
function namePartShortly({ unit, parts }: Named, index: number): string | undefined {
  const from = parts[index]?.from ?? "";
  if (unit === "hour") return nameHour(from, parts.length);
  if (unit === "day") return parts.length < WEEKLY_TICKS || isMonday(from) ? formatShortDay(from) : undefined;
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

/** Finds the parts that have a day of a note. */
function findMarked({ parts }: Pick<Named, "parts">, notes: readonly Note[]): ReadonlySet<number> {
  return new Set(notes.map(({ day }) => findPart(parts, day)));
}

/**
 * Finds what stands beside each part: what is in the same place of the period before. Hours go by the clock, since a day on
 * which clocks change has 23 of them, or 25.
 */
export function findBefore(
  { unit, parts, partsBefore }: Pick<OverviewView, "unit" | "parts" | "partsBefore">,
): readonly (PartCounts | undefined)[] {
  if (unit !== "hour") return parts.map((_, index) => partsBefore[index]);
  const places = placeHours(partsBefore);
  return placeHours(parts).map((place) => partsBefore[places.indexOf(place)]);
}

/** Writes each hour as the number of its day and the clock: `0T14:00`. */
function placeHours(parts: readonly PartCounts[]): readonly string[] {
  const days = [...new Set(parts.map(({ from }) => from.split("T")[0]))];
  return parts.map(({ from }) => from.replace(/^.*T/, `${days.indexOf(from.split("T")[0])}T`));
}

/** Builds the bars of the pageviews, with the line of the period before. */
export function buildViewBars(view: OverviewView): readonly Bar[] {
  const { unit, parts, current: { to }, notes } = view;
  const marked = findMarked({ parts }, notes);
  const befores = findBefore(view);
  return parts.map(({ pageviews: { full, aggregate } }, index) => {
    const part = { unit, parts, to };
    const views = befores[index]?.pageviews;
    const before = views && views.full + views.aggregate;
    const tick = namePartShortly(part, index);
    const split = `(${formatCount(full)} with consent, ${formatCount(aggregate)} before consent)`;
    return {
      full,
      aggregate,
      ...(before !== undefined && { before }),
      figures: [
        `${namePart(part, index)}: ${formatCount(full + aggregate)}`,
        before === undefined ? split : `${split}; in the period before: ${formatCount(before)}`,
      ],
      ...(tick !== undefined && { tick }),
      isMarked: marked.has(index),
    };
  });
}

/** Builds the bars of the shares with consent, in percent. */
export function buildShareBars(
  { unit, parts, to }: Named<ConsentView["parts"][number]>,
  notes: readonly Note[],
): readonly Bar[] {
  const marked = findMarked({ parts }, notes);
  return parts.map(({ pageviews: { full, aggregate }, consentShare }, index) => {
    const share = (consentShare ?? 0) * 100;
    const part = { unit, parts, to };
    const tick = namePartShortly(part, index);
    return {
      full: share,
      aggregate: consentShare === null ? 0 : 100 - share,
      figures: [
        `${namePart(part, index)}: ${consentShare === null ? "no pageviews" : `${Math.round(share)}% with consent`}`,
        `${formatCount(full)} of ${formatCountOf(full + aggregate, "view")}`,
      ],
      ...(tick !== undefined && { tick }),
      isMarked: marked.has(index),
    };
  });
}

/** Builds the bars of a step: how often it happened. */
export function buildStepBars({ unit, parts, to }: Named<StepPart>, notes: readonly Note[]): readonly Bar[] {
  const marked = findMarked({ parts }, notes);
  return parts.map(({ count, visitors }, index) => {
    const part = { unit, parts, to };
    const tick = namePartShortly(part, index);
    return {
      full: count,
      aggregate: 0,
      figures: [`${namePart(part, index)}: ${formatCountOf(count, "time")}`, formatCountOf(visitors, "visitor")],
      ...(tick !== undefined && { tick }),
      isMarked: marked.has(index),
    };
  });
}

/** Finds the part with the most pageviews. */
export function findMost(parts: readonly PartCounts[]): number {
  const totals = parts.map(({ pageviews: { full, aggregate } }) => full + aggregate);
  return totals.indexOf(Math.max(...totals));
}
