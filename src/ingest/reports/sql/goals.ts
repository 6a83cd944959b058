import type { ReportReader } from "../../ports/reader.ts";
import type { EventTotals } from "../../ports/report_counts.ts";
import { writePoint, writeWorth } from "./conditions.ts";
import type { Engine, Row } from "./engine.ts";
import { readParts, writeByPart } from "./parts.ts";
import { readNumber, readSum, writeSum } from "./rows.ts";
import { buildTables } from "./tables.ts";

/** Counts events of several kinds. */
export async function readEvents(
  engine: Engine,
  ...[query, events, bounds]: Parameters<ReportReader["countEvents"]>
): ReturnType<ReportReader["countEvents"]> {
  if (events.length === 0) return [];
  const options = { dialect: engine.dialect, pathRules: query.pathRules };
  const definitions = await buildTables(engine, query, { ofPeople: true });
  const reached = events.flatMap((counted, place) => [
    `${writePoint(counted.event, options)} AS is_${place}`,
    `if(is_${place}, ${writeWorth(counted, engine.dialect)}, 0) AS worth_${place}`,
  ]);
  const counts = events.flatMap(({ sumOf }, place) => [
    `countIf(is_${place}) AS count_${place}`,
    `uniqExactIf(person, is_${place} AND person <> 0) AS visitors_${place}`,
    `${sumOf === undefined ? "0" : writeSum(`worth_${place}`)} AS sum_${place}`,
  ]).join(", ");
  const isAny = events.map((_, place) => `is_${place}`).join(" OR ");
  // Only events that reach a goal, which few do; what is asked of an event is costly, and asked once.
  const counted = `(SELECT * FROM (SELECT time, person, ${reached.join(", ")} FROM chosen_events) AS r WHERE ${isAny})`;
  const rows = await engine.select(`${definitions} ${writeByPart(counted, { time: "time", counts, bounds })}`);
  const { total, parts } = readParts(rows, bounds);
  return events.map((_, place) => ({
    total: readTotals(total, place),
    parts: parts.map((row) => readTotals(row, place)),
  }));
}

function readTotals(row: Row, place: number): EventTotals {
  return {
    count: readNumber(row[`count_${place}`]),
    visitors: readNumber(row[`visitors_${place}`]),
    sum: readSum(row[`sum_${place}`]),
  };
}
