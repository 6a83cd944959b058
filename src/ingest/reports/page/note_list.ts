import { formatDay } from "../query/days.ts";
import { type Html, html } from "./html.ts";
import { buildLink } from "./links.ts";
import type { Page } from "./page.ts";
import { formatLabel } from "./words.ts";

/** Lists the notes of the days, below a chart that marks them. Each leads to the days since, beside the same weekdays before. */
export function buildNotes(page: Pick<Page, "notes" | "query" | "write">): Html | undefined {
  const { notes } = page;
  if (notes.length === 0) return undefined;
  return html`<ul class="notes" aria-label="Notes">${
    notes.map(({ day, text }) =>
      html`<li><svg width="8" height="8" aria-hidden="true"><circle class="mark" cx="4" cy="4" r="3"/></svg> <span class="note">${
        formatDay(day)
      }</span> <a href="${buildLink(page, { from: day, compare: "weeks" })}"><bdi>${formatLabel(text)}</bdi></a></li>`
    )
  }</ul>`;
}
