import type { AcceptanceCounts } from "../../../ports/reader.ts";
import type { Chosen } from "./chosen.ts";
import { buildOfVisitors, createFirsts } from "./firsts.ts";

/** Counts who arrives before a choice, and who consents, in each part of a range. */
export function countAcceptance(chosen: Chosen, bounds: readonly number[]): readonly AcceptanceCounts[] {
  const { database, facts } = chosen;
  createFirsts(chosen);
  database.exec("CREATE INDEX temp.firsts_by_time ON firsts (time)");
  // Of a visitor's events of the same time, the columns are of the first one.
  const newcomers = database.prepare(`
    SELECT count(*) AS visitors, coalesce(sum(is_landing), 0) AS landings FROM (
      SELECT min(f.tie), f.kind = 1 AND f.is_arrival = 1 AS is_landing
      FROM firsts CROSS JOIN facts AS f
        ON ${buildOfVisitors(chosen)} AND f.time = firsts.time AND f.visitor = firsts.visitor
      WHERE firsts.time >= ? AND firsts.time < ? GROUP BY f.visitor
    )
  `);
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
