import { findLeftOut } from "../../events/left_out.ts";
import type { Listed, ViewCounts, VisitCounts } from "../../ports/report_counts.ts";
import type { ListChoice } from "../../ports/report_query.ts";
import { joinAll } from "./conditions.ts";
import type { Engine, Row } from "./engine.ts";

/** Numbers of 64 bits come as texts from one engine, and as bigints from another. */
export function readNumber(value: unknown): number {
  return Number(value ?? 0);
}

/** Digits of a sum that don't depend on the order of its numbers. */
const SUM_DIGITS = 15;

/** Above this, a sum may be beyond all numbers. */
const LARGE = 1e300;

/**
 * Writes the sum of fractions. Both engines add up what rounding has lost (Kahan), so that they agree in all digits that
 * {@linkcode readSum} reads; what's beyond all numbers has nothing to be rounded.
 */
export function writeSum(value: string): string {
  return `toString(${addUp(value)})`;
}

/** Writes the same as a number, which is summed further. */
export function addUp(value: string): string {
  return `if(max(abs(${value})) > ${LARGE}, sum(${value}), sumKahan(${value}))`;
}

/** Reads a sum, which is a text: JSON has no infinity. */
export function readSum(sum: unknown): number {
  const number = Number(String(sum ?? 0).replace("inf", "Infinity"));
  return Number.isFinite(number) ? Number(number.toPrecision(SUM_DIGITS)) : number;
}

/** Lists rows. Each has their number, and the sums of all under `all_` and the name of the column: see {@linkcode selectList}. */
export function readList<T>(
  found: readonly Row[],
  read: (row: Row) => T,
  readSums: (row: Row) => NonNullable<Listed<T>["other"]>,
): Listed<T> {
  const listed = found.filter(isListed);
  const first = found[0] ?? {};
  const sums = Object.entries(first).flatMap(([name, value]) =>
    name.startsWith("all_") ? [[name.slice("all_".length), value]] : []
  );
  const count = readNumber(first.row_count);
  const other = findLeftOut(readSums(Object.fromEntries(sums)), { rows: listed.map(readSums), count });
  return { rows: listed.map(read), count, other };
}

/** A list, as SQL has it. */
export interface WrittenList<C extends string = string> {
  /** Columns that add up. */
  readonly sums: readonly string[];
  /** Column of the names. */
  readonly name: string;
  /**
   * Column of the texts that are searched.
   *
   * @default {the names}
   */
  readonly text?: string;
  /** The usual order. */
  readonly order: string;
  /** SQL that each order sorts by, the first before the next. */
  readonly columns: Readonly<Record<C, string | readonly string[]>>;
}

/** Runs a query of rows and lists the chosen ones, each with the number of all that could be, and with their sums. */
export async function selectList<C extends string>(
  { select, dialect: { quote } }: Engine,
  { definitions, from }: { readonly definitions: string; readonly from: string },
  { sums, name, text = name, order, columns, rows, choice = {} }: WrittenList<C> & {
    readonly rows: number;
    readonly choice?: ListChoice<C> | undefined;
  },
): Promise<readonly Row[]> {
  const { sort, isAscending = false, contains, names, skip = 0 } = choice;
  const all = sums.map((sum) => `, sum(${sum}) OVER () AS all_${sum}`).join("");
  const conditions = [
    ...(contains === undefined ? [] : [`match(${text}, ${quote(writeSearch(contains))})`]),
    ...(names === undefined ? [] : [names.length === 0 ? "1 = 0" : `${name} IN (${names.map(quote).join(", ")})`]),
  ];
  const sorted = sort &&
    [columns[sort]].flat().map((column) => `(${column}) IS NULL, (${column}) ${isAscending ? "ASC" : "DESC"}, `).join(
      "",
    );
  const list = `${definitions} SELECT *, count() OVER () AS row_count${all} FROM (${from}) AS l
    WHERE ${joinAll(conditions)} ORDER BY ${sorted ?? ""}${order}`;
  const found = await select(`${list} LIMIT ${rows} OFFSET ${skip}`);
  if (found.length > 0 || skip === 0) return found;
  // Behind the last one, nothing says how many there are.
  return (await select(`${list} LIMIT 1`)).map((row) => ({ ...row, is_listed: 0 }));
}

/** Returns whether a row is listed, or there for its sums alone. */
export function isListed({ is_listed: isListed = 1 }: Row): boolean {
  return isListed === 1;
}

/** Writes the expression of a text in any case. Paths have it percent-encoded, byte by byte, and these have no case. */
function writeSearch(text: string): string {
  const plain = text.toWellFormed();
  const forms = new Set([plain, ...[plain, plain.toLowerCase(), plain.toUpperCase()].map(encodeURI)]);
  return `(?i)${[...forms].map((form) => form.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|")}`;
}

/** Counts pageviews of both forms. */
export const VIEWS = "countIf(is_view AND is_full) AS views_full, countIf(is_view AND NOT is_full) AS views_aggregate";

/** Reads {@linkcode VIEWS}. */
export function readViews(row: Row): ViewCounts {
  return { full: readNumber(row.views_full), aggregate: readNumber(row.views_aggregate) };
}

/** Reads what happened in a span of time. */
export function readVisits(row: Row): VisitCounts {
  return {
    pageviews: readViews(row),
    visitors: readNumber(row.visitors),
    users: readNumber(row.users),
    sessions: readNumber(row.sessions),
    landings: readNumber(row.landings),
    landingViews: readNumber(row.landing_views),
    bounces: readNumber(row.bounces),
    instantSessions: readNumber(row.instant_sessions),
  };
}
