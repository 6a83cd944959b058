import type { Row } from "./engine.ts";
import { readNumber } from "./rows.ts";

/**
 * Writes the place of the part of a range that a time is in; -1 for none. Days come as their bounds, which are equally far from
 * each other but where clocks change: so a division says the day, in a tenth of the time that a time zone takes.
 */
export function writePart(time: string, bounds: readonly number[]): string {
  const [first = 0] = bounds;
  const runs: string[] = [];
  for (let place = 0; place + 1 < bounds.length;) {
    const [start = 0, next = 0] = bounds.slice(place);
    const length = next - start;
    let end = place + 1;
    while (end + 1 < bounds.length && (bounds[end + 1] ?? 0) - (bounds[end] ?? 0) === length) end++;
    if (length > 0) runs.push(`WHEN ${time} < ${bounds[end]} THEN intDiv(${time} - ${start}, ${length}) + ${place}`);
    place = end;
  }
  return `CASE WHEN ${time} < ${first} THEN -1 ${runs.join(" ")} ELSE -1 END`;
}

/** Counts rows of a table by the part of the range that a time of theirs is in, and all of them. */
export function writeByPart(
  table: string,
  { time, counts, bounds }: { readonly time: string; readonly counts: string; readonly bounds: readonly number[] },
): string {
  if (bounds.length < 2) return `SELECT 1 AS is_total, -1 AS part, ${counts} FROM ${table} AS w`;
  return `SELECT grouping(part) AS is_total, part, ${counts}
    FROM (SELECT *, ${writePart(time, bounds)} AS part FROM ${table} AS w) AS p GROUP BY GROUPING SETS ((part), ())`;
}

/** Returns the row of all parts together, and that of each part; empty ones where there was nothing. */
export function readParts(
  rows: readonly Row[],
  bounds: readonly number[],
): { readonly total: Row; readonly parts: readonly Row[] } {
  const isTotal = ({ is_total }: Row): boolean => readNumber(is_total) === 1;
  const rowOf = new Map(rows.filter((row) => !isTotal(row)).map((row) => [Number(row.part), row]));
  return { total: rows.find(isTotal) ?? {}, parts: bounds.slice(1).map((_, place) => rowOf.get(place) ?? {}) };
}
