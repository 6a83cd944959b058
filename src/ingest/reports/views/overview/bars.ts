import type { Bar } from "../../page/chart.ts";
import type { Page } from "../../page/page.ts";
import { findMarked, findPartial, findRunning, type Moment, namePart, namePartShortly } from "../../page/parts.ts";
import { formatCount } from "../../page/words.ts";
import type { PartCounts } from "../../view/spans.ts";
import type { OverviewView } from "./object.ts";

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
export function buildViewBars(
  view: OverviewView,
  moment: Moment & { readonly query?: Pick<Page["query"], "weekStart"> },
): readonly Bar[] {
  const { unit, parts, current: { to }, notes } = view;
  const marked = findMarked({ parts }, notes);
  const befores = findBefore(view);
  const running = findRunning(view, moment);
  const partial = findPartial({ unit, parts, to }, moment);
  return parts.map(({ pageviews: { full, aggregate } }, index) => {
    const part = { unit, parts, to, weekStart: moment.query?.weekStart };
    const views = befores[index]?.pageviews;
    const before = views && views.full + views.aggregate;
    const tick = namePartShortly(part, index);
    const split = `(${formatCount(full)} with consent, ${formatCount(aggregate)} before consent)`;
    return {
      full,
      aggregate,
      // Up to now alone it would look like a fall.
      ...(before !== undefined && index !== running && { before }),
      figures: [
        `${namePart(part, index)}: ${formatCount(full + aggregate)}${index === running ? " so far" : ""}`,
        before === undefined ? split : `${split}; in the period before: ${formatCount(before)}`,
      ],
      ...(tick !== undefined && { tick }),
      isMarked: marked.has(index),
      isPartial: partial.has(index),
    };
  });
}

/** Finds the part with the most pageviews. */
export function findMost(parts: readonly PartCounts[]): number {
  const totals = parts.map(({ pageviews: { full, aggregate } }) => full + aggregate);
  return totals.indexOf(Math.max(...totals));
}
