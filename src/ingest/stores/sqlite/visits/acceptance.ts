import type { AcceptanceCounts } from "../../../ports/reader.ts";
import type { Chosen } from "./chosen.ts";
import { createFirsts } from "./firsts.ts";

/** Counts who arrives before a choice, and who consents, in each part of a range. */
export function countAcceptance(chosen: Chosen, bounds: readonly number[]): readonly AcceptanceCounts[] {
  const { database, query: { from, to }, facts } = chosen;
  createFirsts(chosen, [from, to]);
  database.exec("CREATE INDEX temp.firsts_by_time ON firsts (time, is_landing)");
  const newcomers = database.prepare(
    "SELECT count(*) AS visitors, total(is_landing) AS landings FROM firsts WHERE time >= ? AND time < ?",
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
