import { FIGURES } from "../../events/figures.ts";
import { createFunnelFold, type FunnelPoint } from "../../events/funnel_fold.ts";
import type { FunnelStage, ReportReader } from "../../ports/reader.ts";
import { writePoints } from "./conditions.ts";
import type { Engine } from "./engine.ts";
import { buildTables } from "./tables.ts";

/**
 * Counts who takes a way. SQL finds the events of visitors who begin it, in their order; the fold walks it, which is exact for
 * every order of stages.
 */
export async function readFunnel(
  engine: Engine,
  ...[query, { stages, within, order }]: Parameters<ReportReader["funnel"]>
): Promise<readonly FunnelStage[]> {
  const isSession = within === "session";
  const options = { dialect: engine.dialect, pathRules: query.pathRules };
  const definitions = await buildTables(engine, query, { ofPeople: true });
  const passed = stages.map((events, stage) => `if(${writePoints(events, options)}, ${2 ** stage}, 0)`).join(" + ");
  const group = isSession ? "person, visit" : "person";
  const [visitors = [], visits = [], times = [], masks = []] = await engine.selectColumns(`${definitions}
    SELECT person, ${isSession ? "visit" : "0"} AS way, time, passed FROM (
      SELECT person, visit, time, moment, passed, max(passed % 2) OVER (PARTITION BY ${group}) AS begins FROM (
        SELECT person, visit, time, moment, is_view OR ${FIGURES.ownSteps.sql} AS is_between, ${passed} AS passed
        FROM chosen_events WHERE is_full AND person <> 0 ${isSession ? "AND visit <> 0" : ""}
      ) AS m WHERE passed <> 0 ${order === "strict" ? "OR is_between" : ""}
    ) AS b WHERE begins = 1 ORDER BY ${group}, moment`);
  const fold = createFunnelFold({ stages: stages.length, withinMs: isSession ? Infinity : within, order });
  let points: FunnelPoint[] = [];
  for (const [row, visitor] of visitors.entries()) {
    points.push({ time: Number(times[row]), stages: Number(masks[row]) });
    if (visitors[row + 1] === visitor && visits[row + 1] === visits[row]) continue;
    fold.add(String(visitor), points);
    points = [];
  }
  return fold.finish();
}
