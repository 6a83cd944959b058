import type { CohortCounts, ReportReader } from "../../../ports/reader.ts";
import type { Chosen } from "./chosen.ts";
import { buildPoint } from "./conditions.ts";
import { createFirsts } from "./firsts.ts";
import type { Row } from "./select.ts";

/** Counts how many visitors come back. */
export function countRetention(
  chosen: Chosen,
  { bounds, returns: events }: Parameters<ReportReader["retention"]>[1],
): readonly CohortCounts[] {
  const { database, select, scope } = chosen;
  createFirsts(chosen);
  database.exec("CREATE TEMP TABLE cohorts (visitor INTEGER PRIMARY KEY, cohort INTEGER NOT NULL) STRICT");
  const fill = database.prepare("INSERT INTO cohorts SELECT visitor, ? FROM firsts WHERE time >= ? AND time < ?");
  const ends = bounds.slice(1);
  for (const [cohort, end] of ends.entries()) fill.run(cohort, bounds[cohort] ?? end, end);
  const sizes = readPairs(select("SELECT cohort, count(*) AS count FROM cohorts GROUP BY 1"));
  const isReturn = events === undefined
    ? "f.kind <> 0"
    : `(${events.map((event) => buildPoint(event, chosen)).join(" OR ")})`;
  const returns = ends.map((end, period) =>
    readPairs(select(
      `SELECT cohort, count(DISTINCT f.visitor) AS count FROM facts AS f JOIN cohorts ON cohorts.visitor = f.visitor
      WHERE f.scope = ${scope} AND f.time >= ? AND f.time < ? AND ${isReturn} GROUP BY 1`,
      bounds[period] ?? end,
      end,
    ))
  );
  return ends.map((end, cohort) => ({
    from: bounds[cohort] ?? end,
    size: sizes.get(cohort) ?? 0,
    returned: returns.slice(cohort).map((ofPeriod) => ofPeriod.get(cohort) ?? 0),
  }));
}

function readPairs(rows: readonly Row[]): ReadonlyMap<number, number> {
  return new Map(rows.map(({ cohort, count }) => [Number(cohort), Number(count)]));
}
