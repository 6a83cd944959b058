import { formatDay } from "./days.ts";
import { type Html, html } from "./html.ts";
import { formatLabel, type Page } from "./view.ts";

/** Lists the notes of the days, below a chart that marks them. */
export function buildNotes({ notes }: Pick<Page, "notes">): Html | undefined {
  if (notes.length === 0) return undefined;
  return html`<ul class="notes" aria-label="Notes">${
    notes.map(({ day, text }) =>
      html`<li><svg width="8" height="12" aria-hidden="true"><path class="mark" d="M4 0v12"/></svg> <span class="note">${
        formatDay(day)
      }</span> <bdi>${formatLabel(text)}</bdi></li>`
    )
  }</ul>`;
}
