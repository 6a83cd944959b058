import { formatDay } from "../query/days.ts";
import type { Note } from "../query/notes.ts";
import { type Html, html } from "./html.ts";
import { buildLink } from "./links.ts";
import type { Linked, Page } from "./page.ts";
import { formatLabel } from "./words.ts";

/**
 * Lists the notes of the days, below a chart that marks them, and the newest one before. Each leads to the days since, beside
 * the same weekdays before.
 */
export function buildNotes(page: Pick<Page, "notes" | "earlierNote" | "query" | "write">): Html | undefined {
  const { notes, earlierNote } = page;
  if (notes.length === 0 && earlierNote === undefined) return undefined;
  const mark = html`
    <svg width="8" height="8" aria-hidden="true">
      <circle class="mark" cx="4" cy="4" r="3" />
    </svg>
  `;
  return html`<ul class="notes" aria-label="Notes">${
    earlierNote !== undefined && html`<li>${buildNote(page, earlierNote, "Before these days: ")}</li>`
  }${notes.map((note) => html`<li>${mark}${buildNote(page, note)}</li>`)}</ul>`;
}

function buildNote(page: Linked, { day, text }: Note, before = ""): Html {
  return html`<span class="note">${before}${formatDay(day)}</span> <a href="${
    buildLink(page, { from: day, compare: "weeks" })
  }"><bdi>${formatLabel(text)}</bdi></a>`;
}
