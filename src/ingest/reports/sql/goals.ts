import type { ReportReader } from "../../ports/reader.ts";
import type { EventTotals } from "../../ports/report_counts.ts";
import { writePoint, writePoints } from "./conditions.ts";
import type { Engine, Row } from "./engine.ts";
import { readParts, writeByPart } from "./parts.ts";
import { readNumber, readSum, writeSum } from "./rows.ts";
import { buildTables, writeWorth } from "./tables.ts";

/** Counts events of several kinds. */
export async function readEvents(
  engine: Engine,
  ...[query, events, bounds]: Parameters<ReportReader["countEvents"]>
): ReturnType<ReportReader["countEvents"]> {
  if (events.length === 0) return [];
  const options = { dialect: engine.dialect, pathRules: query.pathRules };
  const { definitions } = await buildTables(engine, query, { ofPeople: true });
  const counts = events.flatMap(({ event, sumOf }, place) => {
    const isCounted = writePoint(event, options);
    const worth = writeWorth({ event, ...(sumOf !== undefined && { sumOf }) }, engine.dialect);
    return [
      `countIf(${isCounted}) AS count_${place}`,
      `uniqExactIf(person, ${isCounted} AND person <> 0) AS visitors_${place}`,
      ...(worth === "0" ? [] : [`${writeSum(`if(${isCounted}, ${worth}, 0)`)} AS sum_${place}`]),
    ];
  }).join(", ");
  // Only events that reach a goal: most reach none, and what is asked of each is costly.
  const counted = `(SELECT * FROM chosen_events WHERE ${writePoints(events.map(({ event }) => event), options)})`;
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
