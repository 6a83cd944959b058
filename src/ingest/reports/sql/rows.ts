import type { ViewCounts, VisitCounts } from "../../ports/report_counts.ts";
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
  return `if(max(abs(${value})) > ${LARGE}, sum(${value}), sumKahan(${value}))`;
}

/** Reads a sum. What is beyond all numbers comes as a text from one engine, which has JSON. */
export function readSum(sum: unknown): number {
  const number = Number(String(sum ?? 0).replace("inf", "Infinity"));
  return Number.isFinite(number) ? Number(number.toPrecision(SUM_DIGITS)) : number;
}

/** Counts pageviews of both forms. */
export const VIEWS = "countIf(is_view AND is_full) AS views_full, countIf(is_view AND NOT is_full) AS views_aggregate";

/** Reads {@linkcode VIEWS}. */
export function readViews(row: Row): ViewCounts {
  return { full: readNumber(row.views_full), aggregate: readNumber(row.views_aggregate) };
}

/** Reads columns that are named as their fields. */
export function readNumbers<N extends string>(row: Row, names: readonly N[]): Readonly<Record<N, number>> {
  return Object.fromEntries(names.map((name) => [name, readNumber(row[name])])) as Record<N, number>;
}

/** Reads what happened in a span of time. */
export function readVisits(row: Row): VisitCounts {
  return {
    pageviews: readViews(row),
    ...readNumbers(row, ["visitors", "users", "sessions", "landings", "bounces"]),
    landingViews: readNumber(row.landing_views),
    instantSessions: readNumber(row.instant_sessions),
  };
}
