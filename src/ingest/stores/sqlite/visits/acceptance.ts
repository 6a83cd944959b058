import type { AcceptanceCounts } from "../../../ports/reader.ts";
import type { Chosen } from "./chosen.ts";
import { buildOfVisitors, createFirsts } from "./firsts.ts";

/** Counts who arrives before a choice, and who consents, in each part of a range. */
export function countAcceptance(chosen: Chosen, bounds: readonly number[]): readonly AcceptanceCounts[] {
  const { database, facts } = chosen;
  createFirsts(chosen);
  // Of a visitor's events of the same time, the columns are of the first one. In the order of time, as facts lie, it takes half
  // as long; the limit keeps SQLite from leaving the order out.
  database.exec(`
    CREATE TEMP TABLE newcomers AS SELECT firsts.time AS time, min(f.tie), f.kind = 1 AND f.is_arrival = 1 AS is_landing
    FROM (SELECT * FROM firsts ORDER BY time LIMIT -1) AS firsts CROSS JOIN facts AS f
      ON ${buildOfVisitors(chosen)} AND f.time = firsts.time AND f.visitor = firsts.visitor
    GROUP BY firsts.visitor;
    CREATE INDEX temp.newcomers_by_time ON newcomers (time, is_landing);
  `);
  const newcomers = database.prepare(
    "SELECT count(*) AS visitors, total(is_landing) AS landings FROM newcomers WHERE time >= ? AND time < ?",
  );
  const arrivals = database.prepare(
    `SELECT count(*) AS count FROM facts AS f WHERE ${facts} AND f.kind = 0 AND f.is_arrival = 1`,
  );
  return bounds.slice(1).map((end, index) => {
    const span = [bounds[index] ?? end, end] as const;
    const { visitors, landings } = newcomers.get(...span) ?? {};
    return {
      newlyConsented: Number(visitors),
      arrivalsBeforeChoice: Number(landings) + Number(arrivals.get(...span)?.count),
    };
  });
}
