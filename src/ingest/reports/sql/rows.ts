import { findLeftOut } from "../../events/left_out.ts";
import type { Listed, ViewCounts, VisitCounts } from "../../ports/reader.ts";
import type { Row } from "./engine.ts";

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
  return `toString(if(max(abs(${value})) > ${LARGE}, sum(${value}), sumKahan(${value})))`;
}

/** Reads a sum, which is a text: JSON has no infinity. */
export function readSum(sum: unknown): number {
  const number = Number(String(sum ?? 0).replace("inf", "Infinity"));
  return Number.isFinite(number) ? Number(number.toPrecision(SUM_DIGITS)) : number;
}

/** Lists rows. Each has their number, and the sums of all under `all_` and the name of the column: see {@linkcode writeList}. */
export function readList<T>(
  found: readonly Row[],
  read: (row: Row) => T,
  readSums: (row: Row) => NonNullable<Listed<T>["other"]>,
): Listed<T> {
  const first = found[0] ?? {};
  const sums = Object.entries(first).flatMap(([name, value]) =>
    name.startsWith("all_") ? [[name.slice("all_".length), value]] : []
  );
  const count = readNumber(first.row_count);
  const other = findLeftOut(readSums(Object.fromEntries(sums)), { rows: found.map(readSums), count });
  return { rows: found.map(read), count, other };
}

/** Writes the largest rows of a query, each with the number of all, and with their sums. */
export function writeList(
  from: string,
  { sums, order, rows }: { readonly sums: readonly string[]; readonly order: string; readonly rows: number },
): string {
  const all = sums.map((name) => `sum(${name}) OVER () AS all_${name}`).join(", ");
  return `SELECT *, count() OVER () AS row_count, ${all} FROM (${from}) AS l ORDER BY ${order} LIMIT ${rows}`;
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
