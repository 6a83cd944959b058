import type { CohortCounts, FunnelEvent, ReportReader } from "../../../ports/reader.ts";
import { type Chosen, openChosen } from "./chosen.ts";
import { buildPoint } from "./conditions.ts";
import { createFirsts } from "./firsts.ts";
import { readNumbers, readVisitors } from "./overview.ts";

/** Counts how many visitors come back. */
export function countRetention(
  chosen: Chosen,
  { bounds, returns: events }: Parameters<ReportReader["retention"]>[1],
): readonly CohortCounts[] {
  const ends = bounds.slice(1);
  const spans = ends.map((end, index) => [bounds[index] ?? end, end] as const);
  const cohorts = readCohorts(chosen, bounds);
  const sizes = ends.map(() => 0);
  for (const cohort of cohorts.values()) sizes[cohort] = (sizes[cohort] ?? 0) + 1;
  const readReturns = createReturns(chosen, events);
  const returned = spans.map(([start, end]) => {
    const counts = ends.map(() => 0);
    for (const visitor of new Set(readReturns(start, end))) {
      const cohort = cohorts.get(visitor);
      if (cohort !== undefined) counts[cohort] = (counts[cohort] ?? 0) + 1;
    }
    return counts;
  });
  return spans.map(([from], cohort) => ({
    from,
    size: sizes[cohort] ?? 0,
    returned: returned.slice(cohort).map((ofPeriod) => ofPeriod[cohort] ?? 0),
  }));
}

/** Finds the period of each visitor's first event. */
function readCohorts(chosen: Chosen, bounds: readonly number[]): ReadonlyMap<number, number> {
  createFirsts(chosen, [bounds[0] ?? 0, bounds.at(-1) ?? 0]);
  const firsts = chosen.select.one(
    `SELECT json_group_array(visitor) AS visitors, json_group_array(time) AS times
    FROM (SELECT visitor, time FROM firsts ORDER BY time)`,
  );
  const times = readNumbers(firsts.times);
  let cohort = 0;
  return new Map(
    readNumbers(firsts.visitors).map((visitor, index) => {
      while ((times[index] ?? 0) >= (bounds[cohort + 1] ?? Infinity)) cohort++;
      return [visitor, cohort];
    }),
  );
}

/** Creates what reads who has an event in a span, or one of these, whatever the filters choose. */
function createReturns(
  chosen: Chosen,
  events: readonly FunnelEvent[] | undefined,
): (start: number, end: number) => readonly number[] {
  const { database, query, select, scope } = chosen;
  if (events === undefined) {
    const everything = openChosen(database, { ...query, filters: [] });
    return (start, end) => readVisitors(everything, start, end);
  }
  const isReturn = events.map((event) => buildPoint(event, chosen)).join(" OR ");
  const sql = `SELECT json_group_array(DISTINCT f.visitor) AS visitors FROM facts AS f
    WHERE f.scope = ${scope} AND f.time >= ? AND f.time < ? AND f.visitor IS NOT NULL AND (${isReturn})`;
  return (start, end) => readNumbers(select.one(sql, start, end).visitors);
}
