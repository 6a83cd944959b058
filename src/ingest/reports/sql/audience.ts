import { FIGURES } from "../../events/figures.ts";
import type { ReportReader } from "../../ports/reader.ts";
import type { Listed, SourceCounts } from "../../ports/report_counts.ts";
import { writeEventLabel } from "./conditions.ts";
import { joinConversions } from "./conversions.ts";
import type { Engine } from "./engine.ts";
import { VIEWS } from "./rows.ts";
import { listByLabel } from "./sources.ts";
import { buildTables } from "./tables.ts";

/** Counts people by what they come with. Sessions that have several labels count under each. */
export async function readAudience(
  engine: Engine,
  ...[query, by, rows, choice]: Parameters<ReportReader["audience"]>
): Promise<Listed<SourceCounts>> {
  const goal = choice?.goal;
  const { definitions } = await buildTables(engine, query, { audience: by, ...goal && { goal } });
  const counted = `
    SELECT label, sum(views_full) AS views_full, sum(views_aggregate) AS views_aggregate, sum(visitors) AS visitors,
      sum(sessions) AS sessions, sum(landings) AS landings, sum(bounces) AS bounces
    FROM (
      SELECT ${writeEventLabel(by)} AS label, ${VIEWS}, uniqExactIf(visitor_hash, ${FIGURES.visitors.sql}) AS visitors,
        0 AS sessions, 0 AS landings, 0 AS bounces
      FROM chosen_events WHERE is_full GROUP BY label
      UNION ALL
      SELECT label, 0 AS views_full, 0 AS views_aggregate, 0 AS visitors, count() AS sessions,
        countIf(is_landing) AS landings, countIf(is_bounce) AS bounces
      FROM session_labels AS l INNER JOIN chosen_sessions AS s ON l.label_session = s.session_hash GROUP BY label
    ) AS counted GROUP BY label HAVING sum(views_full) + sum(visitors) + sum(sessions) > 0
  `;
  const list = { list: "audience", by } as const;
  const from = joinConversions(counted, { name: "label", list, goal, dialect: engine.dialect });
  return await listByLabel(engine, { definitions, from }, { rows, choice });
}
