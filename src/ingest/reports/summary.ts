/**
 * A report as people get it by mail: figures beside the period before, and the first rows of each list. It holds
 * nobody's rows and no link.
 *
 * @module
 */
import { addDays, countDays, formatRange } from "./days.ts";
import { type Html, html } from "./html.ts";
import { formatChange, formatCount, formatLabel, formatOrigin, formatPath, formatShare } from "./view.ts";
import { PAGEVIEW_NAME } from "../events/stored_event.ts";
import type { PageviewCounts, Report, ReportReader, ReportScope, ReportTotals } from "../ports/reader.ts";

/** What a summary is written from. */
export interface Summary {
  /** Its site and days. */
  readonly scope: ReportScope;
  /** Counts of the site. */
  readonly report: Report;
  /** Sums over as many days before. */
  readonly before: ReportTotals;
}

/** Rows of each list. */
const ROWS = 10;

/** Widths of the columns in a text. */
const [LABEL_WIDTH, NUMBER_WIDTH] = [36, 17] as const;

/** Nobody sees it, and no line is broken at it. */
const WORD_JOINER = "\u2060";

/** Returns the scope of as many days before another. */
export function findScopeBefore(scope: ReportScope): ReportScope {
  return { ...scope, from: addDays(scope.from, -countDays(scope.from, scope.to)), to: addDays(scope.from, -1) };
}

/** Reads what a summary is written from. */
export async function readSummary(reader: ReportReader, scope: ReportScope): Promise<Summary> {
  const report = await reader.read(scope, { rows: ROWS + 1 }); // pageviews are a row among the events
  const before = await reader.read(findScopeBefore(scope), { rows: 1 });
  return { scope, report, before: before.totals };
}

/** Writes a summary as text, of 87 columns at most but for long names. */
export function writeSummaryText(summary: Summary): string {
  const { title, period, tables } = build(summary);
  const lines = [title, period];
  for (const { heads: [first = "", ...others], rows } of tables) {
    lines.push("", formatLine(first, others));
    for (const [label = "", ...cells] of rows) lines.push(formatLine(`  ${label}`, cells));
    if (rows.length === 0) lines.push("  none");
  }
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}

/** Writes a summary as an HTML document for mail programs: its style is in its elements. */
export function writeSummaryHtml(summary: Summary): string {
  const { title, period, tables } = build(summary);
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
    <p>${period}</p>
    ${body}</body>
    </html>
  `;
  return markup;
}

interface Table {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function build({ scope, report, before }: Summary): { title: string; period: string; tables: readonly Table[] } {
  const { totals, paths, referrers, events } = report;
  const days = countDays(scope.from, scope.to);
  const listViews = (name: string, rows: readonly (PageviewCounts & { readonly label: string })[]): Table => ({
    heads: [name, "Views", "With consent"],
    rows: rows.slice(0, ROWS).map((row) => [row.label, formatCount(row.total), formatShare(row.full, row.total)]),
  });
  return {
    title: `${breakLinks(formatOrigin(scope.site))}: ${formatRange(scope.from, scope.to)}`,
    period: `Days in UTC. Visitors, users, sessions and steps are of the views with consent.`,
    tables: [
      {
        heads: ["", "In these days", days === 1 ? "Day before" : `${days} days before`, "Change"],
        rows: [
          compare("Visitors", totals.visitors, before.visitors),
          compare("Users", totals.users, before.users),
          compare("Sessions", totals.sessions, before.sessions),
          compare("Pageviews", totals.pageviews.total, before.pageviews.total),
          ["With consent", formatConsent(totals.pageviews), formatConsent(before.pageviews), ""],
          compare("Steps", countSteps(totals), countSteps(before)),
        ],
      },
      listViews("Pages", paths.map((row) => ({ ...row, label: breakLinks(formatLabel(formatPath(row.path))) }))),
      listViews(
        "Referrers",
        referrers.map(({ referrer, ...counts }) => ({
          ...counts,
          label: referrer === null ? "none named" : breakLinks(formatOrigin(referrer)),
        })),
      ),
      {
        heads: ["Steps", "Times"],
        rows: events.filter(({ name }) => name !== PAGEVIEW_NAME).slice(0, ROWS)
          .map(({ name, count }) => [breakLinks(formatLabel(name)), formatCount(count)]),
      },
    ],
  };
}

function compare(name: string, count: number, before: number): readonly string[] {
  return [name, formatCount(count), formatCount(before), formatChange(count, before)];
}

function formatConsent({ full, total }: PageviewCounts): string {
  return total === 0 ? "–" : formatShare(full, total);
}

/** Counts the events that aren't pageviews. */
export function countSteps({ events, pageviews }: ReportTotals): number {
  return events - pageviews.total;
}

/**
 * Puts a word joiner behind each dot, colon and at sign of a foreign text: mail programs make links of
 * whatever looks like an address, and whoever has the publishable key chooses what does.
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
