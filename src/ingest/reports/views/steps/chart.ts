import { type Bar, buildChart } from "../../page/chart.ts";
import { type Html, html } from "../../page/html.ts";
import { buildNotes } from "../../page/note_list.ts";
import type { Page } from "../../page/page.ts";
import { findMarked, findPartial, type Named, namePart, namePartShortly } from "../../page/parts.ts";
import { capitalize, formatCount, formatCountOf, formatLabel } from "../../page/words.ts";
import { formatRange } from "../../query/days.ts";
import type { StepPart, StepValuesView } from "./object.ts";

/** Builds the chart of how often a step happened, and its table. */
export function buildStepChart(page: Page, { step, unit, parts }: StepValuesView): Html {
  const { from, to, weekStart } = page.query;
  // Rounded figures don't add up.
  const total = page.isCoarse ? "" : `: ${formatCountOf(parts.reduce((sum, { count }) => sum + count, 0), "time")}`;
  const description = `Bar chart, ${formatRange(from, to)}${total}. ` +
    `The table below has the figures of each ${unit}.`;
  return html`<section class="card"><h2><bdi>${formatLabel(step)}</bdi> per ${unit}</h2>${
    buildChart({ bars: buildStepBars({ unit, parts, to, weekStart }, page), description })
  }${buildNotes(page)}<details>
<summary>Figures per ${unit}</summary>
<div class="scroll" tabindex="0" role="group" aria-label="Figures per ${unit}">
<table class="days"><caption>Times and visitors by ${unit}</caption>
<thead><tr><th scope="col">${capitalize(unit)}</th><th scope="col">Times</th><th scope="col">Visitors</th></tr></thead>
<tbody>${
    parts.map(({ count, visitors }, index) =>
      html`
        <tr>
          <th scope="row">${namePart({ unit, parts, to }, index)}</th>
          <td>${formatCount(count)}</td>
          <td>${formatCount(visitors)}</td>
        </tr>
      `
    )
  }</tbody></table></div></details></section>`;
}

/** Builds the bars of a step: how often it happened. */
function buildStepBars(part: Named<StepPart>, page: Pick<Page, "notes" | "today" | "clock">): readonly Bar[] {
  const marked = findMarked(part, page.notes);
  const partial = findPartial(part, page);
  return part.parts.map(({ count, visitors }, index) => {
    const tick = namePartShortly(part, index);
    return {
      full: count,
      aggregate: 0,
      figures: [`${namePart(part, index)}: ${formatCountOf(count, "time")}`, formatCountOf(visitors, "visitor")],
      ...(tick !== undefined && { tick }),
      isMarked: marked.has(index),
      isPartial: partial.has(index),
    };
  });
}
