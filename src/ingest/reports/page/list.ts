import type { ViewCounts } from "../../ports/report_counts.ts";
import { type Html, html } from "./html.ts";
import { formatCount } from "./words.ts";

/** Most rows of each list. */
export const PAGE_ROWS = 25;

/** A list. */
export interface List {
  readonly title: string;
  /** What stands above it, without the last full stop. */
  readonly caption: string;
  /** Its columns. */
  readonly heads: readonly (string | Head)[];
  /** Its rows. */
  readonly rows: readonly ListRow[];
  /** Number of all of them. */
  readonly count: number;
  /** A first row of several together, without a bar: its name, and its other cells. */
  readonly sum?: { readonly label: string; readonly cells: readonly string[] } | undefined;
  /** Cells of what the rows leave out together, behind its name; none where nothing is left out. */
  readonly other?: readonly string[] | null | undefined;
  /** Name of what is counted, in the plural. */
  readonly noun: string;
  /** Its text where it has no rows; "None in these days." by default. */
  readonly none?: string | undefined;
  /** The parts above and below it. */
  readonly before?: Html | undefined;
  readonly after?: Html | undefined;
  /** Links to its further rows, in place of the note that there are some. */
  readonly pager?: Html | undefined;
}

/** The head of a column by which the list can be sorted. */
export interface Head {
  readonly label: string;
  /** Sorts by it. */
  readonly link: string;
  /** Order of the list by it; absent where it isn't sorted by it. */
  readonly sorted?: "ascending" | "descending";
}

/** Stands for the visitors of several rows, who don't add up. */
export const NO_VISITORS = "–";

/** A row of a list. */
export interface ListRow {
  /** Its name, with the link that it leads to. */
  readonly label: Html;
  /** Length of its bar, beside those of other rows. */
  readonly bar: ViewCounts;
  /** The other cells. */
  readonly cells: readonly (string | Html)[];
}

/** Stands for a figure that there isn't. */
const NOTHING = "–";

/** Builds a card with a list. Columns that have nothing in any row are left out. */
export function buildList(list: List): Html {
  const { title, caption, count, noun, none = "None in these days.", before, after, pager } = list;
  const { heads, rows, other, sum } = leaveOutEmpty(list);
  if (rows.length === 0) {
    return html`<section class="card"><h2>${title}</h2>${before}<p class="note">${none}</p>${pager}${after}</section>`;
  }
  const most = Math.max(1, ...rows.map(({ bar: { full, aggregate } }) => full + aggregate));
  const rest = pager ?? (rows.length < count &&
    html`<p class="note">${formatCount(rows.length)} of ${formatCount(count)} ${noun}; the file below has more.</p>`);
  return html`<section class="card"><h2>${title}</h2>${before}<p class="caption">${caption}.</p>
<div class="scroll"${
    heads.length > 4 && html`
      tabindex="0" role="group" aria-label="${title}"
    `
  }>
<table${
    heads.length > 4 && html`
      class="wide"
    `
  }><caption class="unseen">${title}</caption>
<thead><tr>${heads.map(buildHead)}</tr></thead>
<tbody>${buildPlainRow(sum)}${
    rows.map(({ label, bar, cells }) =>
      html`<tr><th scope="row"><span class="label">${label}</span>${buildBar(bar, most)}</th>${
        cells.map((cell) => html`<td>${cell}</td>`)
      }</tr>`
    )
  }${
    buildPlainRow(other ? { label: "Other", cells: other } : undefined)
  }</tbody></table></div>${rest}${after}</section>`;
}

/** Builds a row of several together. */
function buildPlainRow(row: List["sum"]): Html | undefined {
  return row &&
    html`<tr class="other"><th scope="row"><span class="label">${row.label}</span></th>${
      row.cells.map((cell) => html`<td>${cell}</td>`)
    }</tr>`;
}

function leaveOutEmpty({ heads, rows, other, sum }: List): Pick<List, "heads" | "rows" | "other" | "sum"> {
  const isFull = (index: number): boolean =>
    [...rows, ...(sum ? [sum] : [])].some(({ cells }) => cells[index] !== NOTHING);
  const keep = <T>(cells: readonly T[]): readonly T[] => cells.filter((_, index) => isFull(index));
  const [name = "", ...others] = heads;
  return {
    heads: [name, ...keep(others)],
    rows: rows.map((row) => ({ ...row, cells: keep(row.cells) })),
    other: other && keep(other),
    sum: sum && { ...sum, cells: keep(sum.cells) },
  };
}

function buildHead(head: string | Head): Html {
  if (typeof head === "string") return html`<th scope="col">${head}</th>`;
  const { label, link, sorted } = head;
  const sign = sorted && html`<span aria-hidden="true"> ${sorted === "ascending" ? "↑" : "↓"}</span>`;
  return html`
    <th scope="col" ${sorted && html`
      aria-sort="${sorted}"
    `}><a href="${link}">${label}${sign}</a></th>
  `;
}

function buildBar({ full, aggregate }: ViewCounts, most: number): Html {
  const [first, second] = [full, aggregate].map((count) => `${(count / most * 100).toFixed(1)}%`);
  return html`
    <svg class="share" aria-hidden="true" width="100%" height="4">
      <rect class="full" width="${first}" height="4" />
      <rect class="aggregate" x="${first}" width="${second}" height="4" />
    </svg>
  `;
}

/** Builds the link of a row, whose text is foreign and stays apart from what surrounds it. */
export function buildRowLink(link: string, label: string): Html {
  // A path or a URL breaks behind a slash, and a host before a dot, before any breaks in a word.
  const parts = label.split(label.includes("/") ? /(?<=[^/:]\/)(?=[^/])/ : /(?=\.)/);
  return html`<a href="${link}"><bdi>${parts.map((part, index) => html`${index > 0 && html`<wbr>`}${part}`)}</bdi></a>`;
}
