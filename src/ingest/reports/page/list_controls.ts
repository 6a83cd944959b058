/**
 * What a list can be asked: another order, a text in its names, its further rows; and how its rows stand beside the period
 * before. All of it is links and a form: the page has no script.
 *
 * @module
 */
import type { ListQuery } from "../query/list_query.ts";
import { type Html, html } from "./html.ts";
import { buildLink } from "./links.ts";
import type { Head } from "./list.ts";
import { PAGE_ROWS } from "./list.ts";
import type { Page } from "./page.ts";
import { formatChange, formatCount, nameThen } from "./words.ts";

/** Columns that are texts: of these, the first letters come first. */
const TEXTS: readonly string[] = ["path", "label", "name"];

/** Builds the head of a column, which sorts by it; again, the other way round. */
export function buildSortHead<Q extends ListQuery>(page: Page<Q>, label: string, column: string): Head {
  const { sort, direction } = page.query;
  const usual = TEXTS.includes(column) ? "asc" : "desc";
  const next = sort === column && direction === usual ? (usual === "asc" ? "desc" : "asc") : usual;
  const changes: Partial<ListQuery> = { sort: column, direction: next };
  return {
    label,
    link: buildLink(page, changes as Partial<Q>),
    ...(sort === column && { sorted: direction === "asc" ? "ascending" : "descending" }),
  };
}

/** Builds the field that looks for a text in names; undefined for a list that is there whole. */
export function buildSearch(page: Page<ListQuery>, { rows, count }: Counted, noun: string): Html | undefined {
  const { contains } = page.query;
  if (contains === undefined && count <= rows.length) return undefined;
  // What has no field goes with the form as it is.
  const others = [...page.write({ ...page.query, offset: 0, contains: undefined } as Page["query"])];
  return html`
    <form method="get" role="search" aria-label="Search ${noun}">
    <label>Contains <input type="search" name="contains" value="${contains ??
      ""}" autocomplete="off" autocapitalize="none" spellcheck="false"></label>
    ${others.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
    <button type="submit">Search</button>
    ${contains !== undefined && html`<a href="${buildLink(page, { contains: undefined })}">All ${noun}</a>`}
    </form>
  `;
}

/** Builds the links to the rows before and after those of the page; undefined for a list that is there whole. */
export function buildPager(page: Page<ListQuery>, { rows, count }: Counted, noun: string): Html | undefined {
  const { offset } = page.query;
  if (offset === 0 && count <= rows.length) return undefined;
  const last = offset + rows.length;
  const step = (label: string, to: number): Html =>
    html`<li><a href="${buildLink(page, { offset: to })}">${label}</a></li>`;
  const range = rows.length === 0 ? "None" : `${formatCount(offset + 1)} to ${formatCount(last)}`;
  return html`
    <nav class="pager" aria-label="More ${noun}">
      <p class="note">${range} of ${formatCount(count)} ${noun}</p>
      <ul class="presets">${offset > PAGE_ROWS && step("First", 0)}${offset > 0 &&
        step("Back", Math.max(0, offset - PAGE_ROWS))}${last < count && step("Next", last)}</ul>
    </nav>
  `;
}

/** Says that a list has nothing. */
export function describeNone({ query: { contains } }: Page<ListQuery>): string {
  return contains === undefined ? "None in these days." : `None in these days has “${contains}” in its name.`;
}

interface Counted {
  readonly rows: readonly unknown[];
  readonly count: number;
}

/** Builds the figure of a row with the one of the period before below it, where there is anything from then. */
export function buildPair(
  { query }: Page,
  { now, before, hasBefore }: {
    readonly now: number;
    readonly before: number | undefined;
    readonly hasBefore: boolean;
  },
): string | Html {
  if (!hasBefore) return formatCount(now);
  const change = formatChange(now, before ?? 0);
  return html`${formatCount(now)}<br><span class="note">${formatCount(before ?? 0)}<span class="unseen"> ${
    nameThen(query)
  }</span>${change !== "" && `, ${change}`}</span>`;
}

/** Says what stands below the figures of a list. */
export function describePairs({ query }: Page, rows: readonly { readonly before: unknown }[]): string {
  if (!hasEarlier(rows)) return "";
  return query.compare === "before"
    ? ". Below a figure stands the one of the period before"
    : `. Below a figure stands the one of the same weekdays ${nameThen(query)}`;
}

/** Returns whether a list has something in the period before. */
export function hasEarlier(rows: readonly { readonly before: unknown }[]): boolean {
  return rows.some(({ before }) => before !== null);
}
