import { createFunnelFold, type FunnelPoint } from "../../../events/funnel_fold.ts";
import type { Funnel, FunnelStage } from "../../../ports/reader.ts";
import type { Chosen } from "./chosen.ts";
import { buildPoint } from "./conditions.ts";

/** Counts the visitors who take a way. */
export function countFunnel(chosen: Chosen, { stages, within, order }: Funnel): readonly FunnelStage[] {
  const { database, query: { from, to }, facts } = chosen;
  const isSession = within === "session";
  const fold = createFunnelFold({ stages: stages.length, withinMs: isSession ? Infinity : within, order });
  const mask = stages.map((events, stage) =>
    `((${events.map((event) => buildPoint(event, chosen)).join(" OR ")}) << ${stage})`
  ).join(" | ");
  const points = database.prepare(
    `SELECT * FROM (
      SELECT f.visitor AS visitor, f.visit AS visit, f.time AS time, f.tie AS tie, f.kind AS kind, ${mask} AS stages
      FROM facts AS f WHERE ${facts} AND f.visitor IS NOT NULL ${isSession ? "AND f.visit IS NOT NULL" : ""}
    ) WHERE stages <> 0 ${order === "strict" ? "OR kind <= 2" : ""}
    ORDER BY visitor, ${isSession ? "visit, " : ""}time, tie`,
  );
  let visitor: unknown;
  let visit: unknown;
  let way: FunnelPoint[] = [];
  const finish = (): void => {
    if (way.length > 0) fold.add(Number(visitor), way);
    way = [];
  };
  for (const row of points.iterate(from, to)) {
    if (row.visitor !== visitor || (isSession && row.visit !== visit)) finish();
    [visitor, visit] = [row.visitor, row.visit];
    way.push({ time: Number(row.time), stages: Number(row.stages) });
  }
  finish();
  return fold.finish();
}
