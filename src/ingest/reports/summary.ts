/**
 * A report as people get it by mail: figures beside the period before, and the first rows of each list. It holds
 * nobody's rows and no link.
 *
 * @module
 */
import { FIRST_ROWS, WHOLE_LIST } from "./query/list_query.ts";
import { countDays, formatDay, formatRange } from "./query/days.ts";
import { describeDamaged } from "./page/damaged.ts";
import { type Html, html } from "./page/html.ts";
import {
  createAmountFormat,
  formatChange,
  formatCount,
  formatDuration,
  formatLabel,
  formatNumber,
  formatOrigin,
  formatPath,
  formatRatio,
  listLeftOut,
} from "./page/words.ts";
import type { ViewRequest, ViewSource } from "./view/view.ts";
import { type GoalsView, readGoals } from "./views/goals/object.ts";
import { type OverviewFigures, readOverviewFigures } from "./views/overview/object.ts";
import { type PagesView, readPages } from "./views/pages/object.ts";
import { readSources, type SourcesView } from "./views/sources/object.ts";
import { readSteps, type StepsView } from "./views/steps/object.ts";
import type { ViewCounts } from "../ports/report_counts.ts";

/** The data of a summary. */
export interface Summary {
  /** Figures of the days, and of as many before. */
  readonly overview: OverviewFigures;
  /** The most viewed pages. */
  readonly pages: PagesView;
  /** The channels of the most sessions. */
  readonly sources: SourcesView;
  /** The most frequent steps. */
  readonly steps: StepsView;
  /** The goals of the key. */
  readonly goals: GoalsView;
}

/** Rows of each list. */
const ROWS = 10;

/** Widths of the columns in a text. */
const [LABEL_WIDTH, NUMBER_WIDTH] = [36, 17] as const;

/** Nobody sees it, and no line is broken at it. */
const WORD_JOINER = "\u2060";

/** Reads what a summary is written from. */
export async function readSummary(source: ViewSource, request: ViewRequest): Promise<Summary> {
  return {
    overview: await readOverviewFigures(source, request),
    pages: await readPages(source, { ...request, ...WHOLE_LIST }, ROWS),
    sources: await readSources(source, { ...request, ...WHOLE_LIST, by: "channel", of: "session" }, ROWS),
    steps: await readSteps(source, { ...request, ...WHOLE_LIST, ...FIRST_ROWS }, ROWS),
    goals: await readGoals(source, request),
  };
}

/** Writes a summary as text, of 104 columns at most but for long names. */
export function writeSummaryText(summary: Summary): string {
  const { title, notes, tables } = build(summary);
  const lines = [title, ...notes];
  for (const { heads: [first = "", ...others], rows } of tables) {
    lines.push("", formatLine(first, others));
    for (const [label = "", ...cells] of rows) lines.push(formatLine(`  ${label}`, cells));
    if (rows.length === 0) lines.push("  none");
  }
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}

/** Writes a summary as an HTML document for mail programs: its style is in its elements. */
export function writeSummaryHtml(summary: Summary): string {
  const { title, notes, tables } = build(summary);
  const body = tables.map(({ heads, rows }) =>
    html`
      <table cellpadding="4" style="border-collapse:collapse;margin:16px 0;min-width:320px">
      <tr>${heads.map((head, index) => buildCell("th", { text: head, index }))}</tr>
      ${rows.map((cells) => html`<tr>${cells.map((text, index) => buildCell("td", { text, index }))}</tr>`)}
      ${rows.length === 0 && html`
        <tr>
          <td>none</td>
        </tr>
      `}</table>
    `
  );
  const { markup } = html`
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <title>${title}</title>
      </head>
      <body style="font-family:sans-serif;font-size:15px"><h1 style="font-size:20px;margin:0">${title}</h1>
    ${notes.map((note) => html`<p>${note}</p>`)}
    ${body}</body>
    </html>
  `;
  return markup;
}

interface Table {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function build(
  { overview, pages, sources, steps, goals }: Summary,
): { title: string; notes: readonly string[]; tables: readonly Table[] } {
  const { site, from, to, zone, current, before } = overview;
  const days = countDays(from, to);
  const leftOut = listLeftOut(overview.flagged);
  const damage = describeDamaged(overview.damaged);
  const formatAmount = createAmountFormat(goals.rows.map(({ current: { value } }) => value));
  return {
    title: `${breakLinks(formatOrigin(site))}: ${formatRange(from, to)}`,
    notes: [
      ...(damage === undefined ? [] : [damage]),
      `Days in ${zone}. Visitors, users, sessions and steps are of the views with consent.`,
      ...(leftOut.length === 0 ? [] : [`Left out: ${leftOut.map(({ label }) => label).join(", ")}.`]),
    ],
    tables: [
      {
        heads: ["", "In these days", days === 1 ? "Day before" : `${days} days before`, "Change"],
        rows: [
          compare("Visitors", current.visitors, before.visitors),
          compare("Users", current.users, before.users),
          compare("Sessions", current.sessions, before.sessions),
          compare("Pageviews", countViews(current.pageviews), countViews(before.pageviews)),
          ["With consent", formatRatio(current.consentShare), formatRatio(before.consentShare), ""],
          ["Views per session", formatNumber(current.viewsPerSession), formatNumber(before.viewsPerSession), ""],
          ["Bounce rate", formatRatio(current.bounceRate), formatRatio(before.bounceRate), ""],
          ["Session length", formatDuration(current.medianSessionMs), formatDuration(before.medianSessionMs), ""],
        ],
      },
      ...overview.notes.length === 0 ? [] : [{
        heads: ["Notes"],
        rows: overview.notes.map(({ day, text }) => [`${formatDay(day)}: ${breakLinks(formatLabel(text))}`]),
      }],
      ...goals.rows.length === 0 ? [] : [{
        heads: ["Goals", "Visitors", "Before", "Conversion rate", "Value"],
        rows: goals.rows.map(({ name, current: now, before: then }) => [
          ...[breakLinks(formatLabel(name)), formatCount(now.visitors), formatCount(then.visitors)],
          ...[formatRatio(now.conversionRate), formatAmount(now.value)],
        ]),
      }],
      {
        heads: ["Pages", "Views", "With consent"],
        rows: pages.rows.map(({ path, views, consentShare }) => [
          ...[breakLinks(formatLabel(formatPath(path))), formatCount(countViews(views)), formatRatio(consentShare)],
        ]),
      },
      {
        heads: ["Channels", "Sessions", "Bounce rate"],
        rows: sources.rows.map(({ label, sessions, bounceRate }) => [
          ...[breakLinks(formatLabel(label ?? "")), formatCount(sessions), formatRatio(bounceRate)],
        ]),
      },
      {
        heads: ["Steps", "Times", "Visitors"],
        rows: steps.rows.map(({ name, count, visitors }) => [
          ...[breakLinks(formatLabel(name)), formatCount(count), formatCount(visitors)],
        ]),
      },
    ],
  };
}

function compare(name: string, count: number, before: number): readonly string[] {
  return [name, formatCount(count), formatCount(before), formatChange(count, before)];
}

function countViews({ full, aggregate }: ViewCounts): number {
  return full + aggregate;
}

/**
 * Puts a word joiner behind each dot, colon and at sign of a foreign text: mail programs make links of
 * whatever looks like an address, and everybody with the publishable key chooses what does.
 */
function breakLinks(text: string): string {
  return text.replace(/[.:@](?=.)/gsu, `$&${WORD_JOINER}`);
}

function formatLine(label: string, cells: readonly string[]): string {
  const unseen = label.split(WORD_JOINER).length - 1;
  return label.padEnd(LABEL_WIDTH + unseen) + cells.map((cell) => cell.padStart(NUMBER_WIDTH)).join("");
}

function buildCell(tag: "td" | "th", { text, index }: { readonly text: string; readonly index: number }): Html {
  const align = index === 0 ? "left" : "right";
  return tag === "th"
    ? html`<th align="${align}" style="border-bottom:1px solid #ccc">${text}</th>`
    : html`<td align="${align}">${text}</td>`;
}
