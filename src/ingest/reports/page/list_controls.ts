/**
 * Controls of a list: another order, a text in its names, its further rows, and the comparison with the period before.
 * All of them are links and a form: the page has no script.
 *
 * @module
 */
import { GOAL_COLUMNS } from "../../ports/reader.ts";
import { FIRST_ROWS, type ListQuery } from "../query/list_query.ts";
import type { GoalQuery } from "../query/goal_query.ts";
import { type Html, html } from "./html.ts";
import { buildLink } from "./links.ts";
import type { Head } from "./list.ts";
import { PAGE_ROWS } from "./list.ts";
import type { Page } from "./page.ts";
import {
  createAmountFormat,
  formatChange,
  formatCount,
  formatFineRatio,
  formatLabel,
  nameBeside,
  nameThen,
} from "./words.ts";

/** Columns that are texts: of these, the first letters come first. */
const TEXTS: readonly string[] = ["path", "label", "name"];

/** Builds the head of a column, which sorts by it; again, the other way round. */
export function buildSortHead<Q extends Pick<ListQuery, "sort" | "direction">>(
  page: Page<Q>,
  label: string,
  column: string,
): Head {
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

/** Builds links to the same list with another choice. */
export function buildChoices(
  choices: readonly { readonly link: string; readonly label: string | Html; readonly isChosen: boolean }[],
): Html {
  return html`<ul class="presets">${
    choices.map(({ link, label, isChosen }) =>
      html`<li><a href="${link}"${
        isChosen && html`
          aria-current="true"
        `
      }>${label}</a></li>`
    )
  }</ul>`;
}

/** Builds the links that choose the goal beside a list, and the field that looks for a text in its names. */
export function buildSearch(
  page: Page<ListQuery & GoalQuery>,
  counted: Counted,
  { noun, hasGoal = false, hasSum = false }: {
    readonly noun: string;
    readonly hasGoal?: boolean;
    /** Whether what the text chooses is added up: there is a field for it beside few rows, too. */
    readonly hasSum?: boolean;
  },
): Html {
  const isWhole = counted.count <= (hasSum ? 1 : counted.rows.length);
  return html`${hasGoal && page.goalNames.length > 0 && buildGoalLinks(page)}${
    (page.query.contains !== undefined || !isWhole) && buildField(page, noun)
  }`;
}

/** Most goals whose links stand open: those of more would push the list off the screen. */
const MAX_OPEN_GOALS = 8;

/** Builds the links to the same list with a goal, or without one. */
function buildGoalLinks(page: Page<ListQuery & GoalQuery>): Html {
  const { goal: chosen, sort } = page.query;
  // Without the goal there is no order by its columns.
  const usual = GOAL_COLUMNS.some((column) => column === sort) ? { sort: undefined, direction: "desc" as const } : {};
  const nameGoal = (goal: string | undefined): Html =>
    html`<bdi>${goal === undefined ? "none" : formatLabel(goal)}</bdi>`;
  const links = buildChoices([undefined, ...page.goalNames].map((goal) => ({
    link: buildLink(page, { ...(goal === undefined && usual), goal }),
    label: nameGoal(goal),
    isChosen: goal === chosen,
  })));
  return html`
    <nav class="goals" aria-label="Goal">
    ${page.goalNames.length <= MAX_OPEN_GOALS
      ? html`<span aria-hidden="true">Goal</span>${links}`
      : html`<details><summary>Goal: ${nameGoal(chosen)}</summary>${links}</details>`}
    </nav>
  `;
}

/** Builds the field that looks for a text in names. */
function buildField(page: Page<ListQuery & GoalQuery>, noun: string): Html {
  const { contains } = page.query;
  // What has no field goes with the form as it is.
  const fields = ["contains", ...Object.keys(FIRST_ROWS)];
  const others = [...page.write(page.query)].filter(([name]) => !fields.includes(name));
  return html`
    <form method="get" role="search" aria-label="Search ${noun}">
    <label>Contains <input type="search" name="contains" value="${contains ??
      ""}" autocomplete="off" autocapitalize="none" spellcheck="false"></label>
    ${others.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
    <button type="submit">Show</button>
    ${contains !== undefined && html`<a href="${buildLink(page, { contains: undefined })}">All ${noun}</a>`}
    </form>
  `;
}

/** Names the columns of the goal beside a list; none where none is asked for. */
export function listGoalHeads(page: Page<ListQuery & GoalQuery>): readonly Head[] {
  if (page.query.goal === undefined) return [];
  const labels = ["Conversions", "Conversion rate", nameValue(page)];
  return GOAL_COLUMNS.map((column, index) => buildSortHead(page, labels[index] ?? "", column));
}

/** Names the column of values, with their currency where the key names it. */
export function nameValue({ currency }: Pick<Page, "currency">): string {
  return currency === undefined ? "Value" : `Value, ${currency}`;
}

/** A row that may stand beside a goal. */
interface GoalRow {
  readonly conversion?: Conversion;
}

/** Creates what writes these columns of a row. */
export function createGoalCells(
  { query: { goal } }: Page<GoalQuery>,
  rows: readonly GoalRow[],
): (row: GoalRow) => readonly string[] {
  if (goal === undefined) return () => [];
  const formatAmount = createAmountFormat(rows.map(({ conversion }) => conversion?.value ?? null));
  return ({ conversion }) => {
    if (conversion === undefined) return ["–", "–", "–"];
    const { conversions, conversionRate, value } = conversion;
    return [formatCount(conversions), formatFineRatio(conversionRate), formatAmount(value)];
  };
}

/** Lists the goal's cells of the rows that are left out. */
export function listGoalOthers({ query: { goal } }: Page<GoalQuery>): readonly string[] {
  return goal === undefined ? [] : ["–", "–", "–"];
}

/** Says what the columns of the goal are. */
export function describeGoal({ query: { goal } }: Page<GoalQuery>, what: string): string {
  return goal === undefined
    ? ""
    : `. Conversions, their rate and their value are of the sessions ${what}, and of those that reach ${goal}`;
}

/** Figures of a goal for the sessions of a row. */
interface Conversion {
  readonly conversions: number;
  readonly conversionRate: number | null;
  readonly value: number | null;
}

/** Builds the links to the rows before and after those of the page; undefined for a list that is there whole. */
export function buildPager(page: Page<ListQuery>, { rows, count }: Counted, noun: string): Html | undefined {
  const { offset } = page.query;
  return buildPagerOf({ offset, shown: rows.length, count, noun }, (to) => buildLink(page, { offset: to }));
}

/** Which rows of a list are shown. */
interface Shown {
  readonly offset: number;
  readonly shown: number;
  readonly count: number;
  readonly noun: string;
}

/** Builds the same for a list with an offset of its own. */
export function buildPagerOf(
  { offset, shown, count, noun }: Shown,
  linkTo: (offset: number) => string,
): Html | undefined {
  if (offset === 0 && count <= shown) return undefined;
  const last = offset + shown;
  const step = (label: string, to: number): Html => html`<li><a href="${linkTo(to)}">${label}</a></li>`;
  const range = shown === 0 ? "None" : `${formatCount(offset + 1)} to ${formatCount(last)}`;
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
  const then = query.compare === "before" ? "the period before" : nameBeside(query);
  return `. Below a figure stands the one of ${then}, from 30 on with the change`;
}

/** Returns whether a list has something in the period before. */
export function hasEarlier(rows: readonly { readonly before: unknown }[]): boolean {
  return rows.some(({ before }) => before !== null);
}
