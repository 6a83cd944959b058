import { FIGURES } from "../../events/figures.ts";
import type { AudienceColumn, ReportReader } from "../../ports/reader.ts";
import type { Listed, SourceCounts } from "../../ports/report_counts.ts";
import { writeEventLabel } from "./conditions.ts";
import { GOAL_ORDERS, joinConversions } from "./conversions.ts";
import type { Engine } from "./engine.ts";
import { readList, readNumber, readSessionSums, selectList, VIEWS, type WrittenList } from "./rows.ts";
import { buildTables } from "./tables.ts";

const LIST: WrittenList<AudienceColumn> = {
  sums: ["views_full", "sessions", "landings", "bounces"],
  name: "label",
  order: "sessions DESC, views_full DESC, label",
  columns: {
    label: "nullIf(label, '')",
    views: "views_full",
    sessions: "sessions",
    visitors: "visitors",
    landings: "landings",
    bounceRate: "bounces / nullIf(landings, 0)",
    ...GOAL_ORDERS,
  },
};

/** Counts people by what they come with. Sessions that have several labels count under each. */
export async function readAudience(
  engine: Engine,
  ...[query, by, rows, choice]: Parameters<ReportReader["audience"]>
): Promise<Listed<SourceCounts>> {
  const goal = choice?.goal;
  const { definitions } = await buildTables(engine, query, { audience: by, ...goal && { goal } });
  const counted = `
    SELECT label, sum(views_full) AS views_full, sum(visitors) AS visitors, sum(sessions) AS sessions,
      sum(landings) AS landings, sum(bounces) AS bounces
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
  const found = await selectList(engine, { definitions, from }, { ...LIST, rows, choice });
  return readList(found, (row) => ({
    label: row.label === "" ? null : String(row.label),
    visitors: readNumber(row.visitors),
    ...readSessionSums(row),
  }), readSessionSums);
}
