import { buildChart } from "../../page/chart.ts";
import { formatRange } from "../../query/days.ts";
import { type Html, html } from "../../page/html.ts";
import { buildNotes } from "../../page/note_list.ts";
import { buildStepBars, namePart } from "../../page/parts.ts";
import { formatCount, formatCountOf, formatLabel, type Page } from "../../page/words.ts";
import type { StepValuesView } from "../views.ts";

/** Builds the chart of how often a step happened, and its table. */
export function buildStepChart(page: Page, { step, unit, parts }: StepValuesView): Html {
  const { from, to } = page.query;
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  const description = `Bar chart, ${formatRange(from, to)}: ${formatCountOf(total, "time")}. ` +
    `The table below has the figures of each ${unit}.`;
  return html`<section class="card"><h2><bdi>${formatLabel(step)}</bdi> per ${unit}</h2>${
    buildChart({ bars: buildStepBars({ unit, parts, to }, page.notes), description })
  }${buildNotes(page)}<details>
<summary>Figures per ${unit}</summary>
<div class="scroll" tabindex="0" role="group" aria-label="Figures per ${unit}">
<table class="days"><caption>Times and visitors by ${unit}</caption>
<thead><tr><th scope="col">${
    unit === "hour" ? "Hour" : unit === "day" ? "Day" : "Week"
  }</th><th scope="col">Times</th><th scope="col">Visitors</th></tr></thead>
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
