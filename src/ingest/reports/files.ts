/**
 * Reports as files, piece by piece: a year of paths may be larger than what a process wants to hold at once.
 *
 * @module
 */
import { type Cell, formatRow } from "./csv.ts";
import type { Range, Table } from "./query.ts";
import type { AllowanceUse, DayRow, PageviewCounts, PageviewRow, Report } from "./report.ts";

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

const COUNTS = ["full", "aggregate", "total"] as const;

/** Writes everything as one JSON object. */
export async function* writeJson(source: FileSource): AsyncGenerator<string> {
  const { site, from, to, report: { totals, paths, referrers, events }, days, allowance } = source;
  const head = { site, from, to, timeZone: "UTC", totals, allowance, days, paths, referrers, events };
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
  }
}

function listCounts(counts: PageviewCounts): readonly number[] {
  return COUNTS.map((name) => counts[name]);
}
