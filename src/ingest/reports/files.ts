/**
 * Reports as files, piece by piece: a year of paths may be larger than what a process wants to hold at once. CSV
 * (RFC 4180) is safe to open in a spreadsheet.
 *
 * @module
 */
import type { Range, Table } from "./query.ts";
import type { AllowanceUse, DayRow, PageviewCounts, PageviewRow, Report } from "../ports/reader.ts";

/** What files are written from. */
export interface FileSource extends Range {
  /** Origin of the site. */
  readonly site: string;
  /** Counts of the site. */
  readonly report: Report;
  /** Every day of the range. */
  readonly days: readonly DayRow[];
  /** Use of the key's allowance. */
  readonly allowance: AllowanceUse;
  /** Reads the paths of one day. */
  readonly readDay: (day: string) => Promise<readonly PageviewRow[]>;
}

/** A cell. Null is an empty one. */
type Cell = string | number | null;

/**
 * Where a spreadsheet would find a formula, full-width forms included: at the start of a text, and behind what some
 * split cells by. Where that is a semicolon, only the first quote of a row protects its text. Some leave out blanks and what
 * isn't seen before it. The character comes first, so that a long text of blanks is looked through once.
 */
const FORMULA = /[=+\-@\uff1d\uff0b\uff0d\uff20](?<=(?:^|[;\t\r\n])[\s\p{C}"]*.)/gu;

const COUNTS = ["full", "aggregate", "total"] as const;

/** Writes everything as one JSON object. */
export async function* writeJson(source: FileSource): AsyncGenerator<string> {
  const { site, from, to, report: { totals, paths, referrers, events, violations }, days, allowance } = source;
  const head = { site, from, to, timeZone: "UTC", totals, allowance, days, paths, referrers, events, violations };
  yield `${JSON.stringify(head).slice(0, -1)},"pageviews":[`;
  let isFirst = true;
  for await (const rows of readPageviews(source)) {
    const text = rows.map((row) => JSON.stringify(row)).join(",\n");
    yield isFirst ? `\n${text}` : `,\n${text}`;
    isFirst = false;
  }
  yield "]}\n";
}

/** Writes one table as CSV with a line of names. */
export async function* writeCsv(source: FileSource, table: Table): AsyncGenerator<string> {
  if (table !== "pageviews") {
    yield buildTable(source, table).map(formatRow).join("");
    return;
  }
  yield formatRow(["day", "path", ...COUNTS]);
  for await (const rows of readPageviews(source)) {
    yield rows.map((row) => formatRow([row.day, row.path, ...listCounts(row)])).join("");
  }
}

async function* readPageviews({ days, readDay }: FileSource): AsyncGenerator<readonly PageviewRow[]> {
  for (const { day, total } of days) {
    const rows = total > 0 ? await readDay(day) : [];
    if (rows.length > 0) yield rows;
  }
}

function buildTable({ days, report }: FileSource, table: Exclude<Table, "pageviews">): readonly (readonly Cell[])[] {
  switch (table) {
    case "days":
      return [["day", ...COUNTS, "sessions"], ...days.map((row) => [row.day, ...listCounts(row), row.sessions])];
    case "paths":
      return [["path", ...COUNTS], ...report.paths.map((row) => [row.path, ...listCounts(row)])];
    case "referrers":
      return [["referrer", ...COUNTS], ...report.referrers.map((row) => [row.referrer, ...listCounts(row)])];
    case "events":
      return [["name", "count"], ...report.events.map(({ name, count }) => [name, count])];
    case "violations":
      return [["name", "kind", "count"], ...report.violations.map(({ name, kind, count }) => [name, kind, count])];
  }
}

function listCounts(counts: PageviewCounts): readonly number[] {
  return COUNTS.map((name) => counts[name]);
}

/** Writes a row. Text that a spreadsheet would run as a formula gets an apostrophe in front (OWASP, CSV injection). */
export function formatRow(cells: readonly Cell[]): string {
  return `${cells.map(formatCell).join(",")}\r\n`;
}

function formatCell(cell: Cell): string {
  if (typeof cell !== "string") return String(cell ?? "");
  return `"${cell.replace(FORMULA, "'$&").replaceAll('"', '""')}"`;
}
