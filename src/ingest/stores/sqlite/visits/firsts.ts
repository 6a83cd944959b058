import { FARTHEST_MS } from "../../../ports/reader.ts";
import type { Chosen } from "./chosen.ts";

/** Condition of a fact `f` that has a visitor, and is of a site. */
function buildOfVisitors({ scope }: Chosen): string {
  return `f.scope = ${scope} AND f.visitor IS NOT NULL`;
}

/**
 * Makes the table `firsts` of the visitors whose first event in all that is kept is in a range, and is chosen:
 * its time, and whether it is an arrival. Most visits are of one visitor, so that their first events are at hand.
 */
export function createFirsts(chosen: Chosen, [from, to]: readonly [number, number]): void {
  const { database, scope, ofFilters } = chosen;
  const ofVisitors = buildOfVisitors(chosen);
  const findSeen = (start: number, end: number): string => `
    SELECT v.visitor AS visitor, v.start AS time, v.start_tie AS tie, v.is_landing AS is_landing
    FROM visits AS v INDEXED BY visits_by_start
    WHERE v.scope = ${scope} AND v.start >= ${start} AND v.start < ${end} AND v.is_mixed = 0 AND v.visitor IS NOT NULL
    UNION ALL
    SELECT f.visitor, f.time, f.tie, f.is_arrival
    FROM visits AS v INDEXED BY visits_by_start CROSS JOIN facts AS f ON f.visit = v.id
    WHERE v.scope = ${scope} AND v.start < ${end} AND v.is_mixed = 1
      AND ${ofVisitors} AND f.time >= ${start} AND f.time < ${end}
    UNION ALL
    SELECT f.visitor, f.time, f.tie, f.is_arrival FROM facts AS f INDEXED BY facts_alone
    WHERE ${ofVisitors} AND f.visit IS NULL AND f.time >= ${start} AND f.time < ${end}
  `;
  database.exec(`
    CREATE TEMP TABLE firsts (visitor INTEGER PRIMARY KEY, time INTEGER NOT NULL, is_landing INTEGER NOT NULL) STRICT;
    INSERT OR IGNORE INTO firsts
      SELECT visitor, time, is_landing FROM (${findSeen(from, to)}) ORDER BY visitor, time, tie;
    DELETE FROM firsts WHERE visitor IN (
      SELECT firsts.visitor FROM (${findSeen(-FARTHEST_MS, from)}) AS seen CROSS JOIN firsts USING (visitor)
    )
  `);
  if (ofFilters.length === 0) return;
  // Of a visitor's events of the same time, the columns are of the first one.
  database.exec(`
    DELETE FROM firsts WHERE visitor NOT IN (
      SELECT visitor FROM (
        SELECT f.visitor AS visitor, min(f.tie), ${ofFilters.join(" AND ")} AS is_chosen
        FROM firsts JOIN facts AS f ON ${ofVisitors} AND f.time = firsts.time AND f.visitor = firsts.visitor
        GROUP BY f.visitor
      ) WHERE is_chosen
    )
  `);
}
