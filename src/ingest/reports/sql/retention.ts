import { FIGURES } from "../../events/figures.ts";
import type { CohortCounts, ReportReader } from "../../ports/reader.ts";
import type { AcceptanceCounts } from "../../ports/report_counts.ts";
import { writePoints } from "./conditions.ts";
import type { Engine } from "./engine.ts";
import { readParts, writeByPart, writePart } from "./parts.ts";
import { readNumber } from "./rows.ts";
import { buildTables } from "./tables.ts";

/** Counts who comes back. */
export async function readRetention(
  engine: Engine,
  ...[query, { bounds, returns }]: Parameters<ReportReader["retention"]>
): Promise<readonly CohortCounts[]> {
  const periods = Math.max(bounds.length - 1, 0);
  if (periods === 0) return [];
  const { select, dialect } = engine;
  const range = { from: bounds[0] ?? 0, to: bounds.at(-1) ?? 0 };
  const definitions = await buildTables(engine, { ...query, ...range }, { ofPeople: returns !== undefined });
  const isReturn = returns === undefined
    ? FIGURES.sessions.sql
    : `(${writePoints(returns, { dialect, pathRules: query.pathRules })})`;
  const members = `SELECT visitor_hash, ${writePart("first_time", bounds)} AS cohort FROM chosen_visitors`;
  const [sizes, counts] = await Promise.all([
    select(`${definitions} SELECT cohort, count() AS visitors FROM (${members}) AS m GROUP BY cohort`),
    select(`${definitions} SELECT cohort, period, uniqExact(visitor_hash) AS visitors FROM (
      SELECT m.visitor_hash AS visitor_hash, cohort, period FROM (
        SELECT DISTINCT person, ${writePart("time", bounds)} AS period FROM all_events WHERE ${isReturn} AND person <> 0
      ) AS r INNER JOIN (${members}) AS m ON r.person = m.visitor_hash
    ) AS j GROUP BY cohort, period`),
  ]);
  const sizeOf = new Map(sizes.map((row) => [Number(row.cohort), readNumber(row.visitors)]));
  const countOf = new Map(counts.map((row) => [`${row.cohort} ${row.period}`, readNumber(row.visitors)]));
  return Array.from({ length: periods }, (_, cohort) => ({
    from: bounds[cohort] ?? 0,
    size: sizeOf.get(cohort) ?? 0,
    returned: Array.from({ length: periods - cohort }, (_, more) => countOf.get(`${cohort} ${cohort + more}`) ?? 0),
  }));
}

/** Counts who arrives before a choice, and who consents. */
export async function readAcceptance(
  engine: Engine,
  ...[query, bounds]: Parameters<ReportReader["acceptance"]>
): Promise<readonly AcceptanceCounts[]> {
  const { from, to } = query;
  const definitions = await buildTables(engine, query);
  const counted = `(
    SELECT first_time, 1 AS newly, if(is_arrival, 1, 0) AS arrivals FROM chosen_visitors
    WHERE first_time >= ${from} AND first_time < ${to}
    UNION ALL
    SELECT time AS first_time, 0 AS newly, 1 AS arrivals FROM chosen_events WHERE NOT is_full AND is_arrival
  )`;
  const counts = "sum(newly) AS newly, sum(arrivals) AS arrivals";
  const rows = await engine.select(
    `${definitions} ${writeByPart(counted, { time: "first_time", counts, bounds })}`,
  );
  return readParts(rows, bounds).parts.map(({ newly, arrivals }) => ({
    newlyConsented: readNumber(newly),
    arrivalsBeforeChoice: readNumber(arrivals),
  }));
}
