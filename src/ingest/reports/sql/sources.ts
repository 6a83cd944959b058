import type { ReportReader, SourcesColumn } from "../../ports/reader.ts";
import type { Listed, SourceCounts } from "../../ports/report_counts.ts";
import type { ListChoice } from "../../ports/report_query.ts";
import { GOAL_ORDERS, joinConversions } from "./conversions.ts";
import type { Engine, Row } from "./engine.ts";
import { readList, readNumber, readViews, selectList, VIEWS, type WrittenList } from "./rows.ts";
import { buildTables, type ListedSources, nameListed } from "./tables.ts";

const LIST: WrittenList<SourcesColumn> = {
  sums: ["views_full", "views_aggregate", "sessions", "landings", "bounces"],
  name: "label",
  order: "sessions DESC, views_full + views_aggregate DESC, label",
  columns: {
    label: "nullIf(label, '')",
    views: "views_full + views_aggregate",
    sessions: "sessions",
    visitors: "visitors",
    landings: "landings",
    bounceRate: "bounces / nullIf(landings, 0)",
    ...GOAL_ORDERS,
  },
};

/** Counts sources, or landing pages. */
export async function readSources(
  engine: Engine,
  ...[query, listed, rows, choice]: Parameters<ReportReader["sources"]>
): Promise<Listed<SourceCounts>> {
  const { by, of = "session" } = listed;
  const goal = choice?.goal;
  const { definitions } = await buildTables(engine, query, { listed, ...goal && { goal } });
  const from = joinConversions(of === "first" ? writeOfFirst(listed) : writeOfSession(listed), {
    name: "label",
    list: { list: "sources", by, of },
    goal,
    dialect: engine.dialect,
  });
  return await listByLabel(engine, { definitions, from }, { rows, choice });
}

/** Lists sessions by their labels, those of the most sessions first. */
export async function listByLabel(
  engine: Engine,
  query: { readonly definitions: string; readonly from: string },
  chosen: { readonly rows: number; readonly choice: ListChoice<SourcesColumn> | undefined },
): Promise<Listed<SourceCounts>> {
  const found = await selectList(engine, query, { ...LIST, ...chosen });
  return readList(found, (row) => ({
    label: row.label === "" ? null : String(row.label),
    visitors: readNumber(row.visitors),
    ...readSums(row),
  }), readSums);
}

function readSums(row: Row): Omit<SourceCounts, "label" | "visitors"> {
  return {
    views: readViews(row),
    sessions: readNumber(row.sessions),
    landings: readNumber(row.landings),
    bounces: readNumber(row.bounces),
  };
}

function writeOfSession(listed: ListedSources): string {
  const { ofEvent, ofSession } = nameListed(listed);
  return `
    SELECT label, sum(views_full) AS views_full, sum(views_aggregate) AS views_aggregate, sum(sessions) AS sessions,
      sum(visitors) AS visitors, sum(landings) AS landings, sum(bounces) AS bounces
    FROM (
      SELECT ${ofEvent} AS label, ${VIEWS}, 0 AS sessions, 0 AS visitors, 0 AS landings, 0 AS bounces
      FROM chosen_events WHERE is_arrival GROUP BY label
      UNION ALL
      SELECT ${ofSession} AS label, 0 AS views_full, 0 AS views_aggregate, count() AS sessions,
        uniqExactIf(session_visitor, session_visitor <> 0) AS visitors, countIf(is_landing) AS landings,
        countIf(is_bounce) AS bounces
      FROM chosen_sessions GROUP BY label
    ) AS counted GROUP BY label
  `;
}

/** Writes the counts by first session; events and sessions without one stand under their own label. */
function writeOfFirst(listed: ListedSources): string {
  const { ofEvent, ofSession } = nameListed(listed);
  return `
    SELECT label, sum(own_views) AS views_full, 0 AS views_aggregate, sum(own_sessions) AS sessions,
      uniqExactIf(own_visitor, own_visitor <> 0 AND own_sessions > 0) AS visitors, sum(own_landings) AS landings,
      sum(own_bounces) AS bounces
    FROM (
      SELECT if(coalesce(first_visitor, 0) <> 0, first_listed, own) AS label, own_visitor, own_views, own_sessions, own_landings,
        own_bounces
      FROM (
        SELECT ${ofEvent} AS own, visitor_hash AS own_visitor, count() AS own_views, 0 AS own_sessions, 0 AS own_landings,
          0 AS own_bounces
        FROM chosen_events WHERE is_full AND is_arrival GROUP BY own, own_visitor
        UNION ALL
        SELECT ${ofSession} AS own, session_visitor AS own_visitor, 0 AS own_views, count() AS own_sessions,
          countIf(is_landing) AS own_landings, countIf(is_bounce) AS own_bounces
        FROM chosen_sessions GROUP BY own, own_visitor
      ) AS counted LEFT JOIN first_sessions AS fs ON fs.first_visitor = counted.own_visitor
    ) AS labelled GROUP BY label
  `;
}
