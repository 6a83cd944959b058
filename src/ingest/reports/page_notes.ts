import { formatDay } from "./days.ts";
import { type Html, html } from "./html.ts";
import { formatLabel, type Page } from "./view.ts";

/** Lists the notes of the days, below a chart that marks them. */
export function buildNotes({ notes }: Pick<Page, "notes">): Html | undefined {
  if (notes.length === 0) return undefined;
  return html`<ul class="notes" aria-label="Notes">${
    notes.map(({ day, text }) =>
      html`<li><svg width="8" height="8" aria-hidden="true"><circle class="mark" cx="4" cy="4" r="3"/></svg> <span class="note">${
        formatDay(day)
      }</span> <bdi>${formatLabel(text)}</bdi></li>`
    )
  }</ul>`;
}
