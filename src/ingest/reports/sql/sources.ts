import { FIGURES } from "../../events/figures.ts";
import type { ConvertedList, SourcesColumn } from "../../ports/reader.ts";
import type { Listed, SourceCounts } from "../../ports/report_counts.ts";
import type { ListChoice, ReportQuery } from "../../ports/report_query.ts";
import type { Engine, Row } from "./engine.ts";
import { readList } from "./lists.ts";
import { readNumber, readNumbers, readViews, VIEWS } from "./rows.ts";
import { buildTables } from "./tables.ts";

/** Counts sources, landing pages, or people by what they come with. Sessions that have several labels count under each. */
export async function readSources(
  engine: Engine,
  query: ReportQuery,
  list: Extract<ConvertedList, { readonly list: "sources" | "audience" }>,
  ...[rows, choice]: readonly [rows: number, choice?: ListChoice<SourcesColumn>]
): Promise<Listed<SourceCounts>> {
  const definitions = await buildTables(engine, query, { list, goal: choice?.goal });
  // The visitors of sources are those of the sessions.
  const isOfSources = list.list === "sources";
  const ofEvents = isOfSources ? "0" : `uniqExactIf(visitor_hash, ${FIGURES.visitors.sql})`;
  const ofSessions = isOfSources ? "uniqExactIf(session_visitor, session_visitor <> 0)" : "0";
  const from = `
    SELECT label, sum(views_full) AS views_full, sum(views_aggregate) AS views_aggregate, sum(visitors) AS visitors,
      sum(sessions) AS sessions, sum(landings) AS landings, sum(bounces) AS bounces
    FROM (
      SELECT label, ${VIEWS}, ${ofEvents} AS visitors, 0 AS sessions, 0 AS landings, 0 AS bounces
      FROM listed_events GROUP BY label
      UNION ALL
      SELECT label, 0 AS views_full, 0 AS views_aggregate, ${ofSessions} AS visitors, count() AS sessions,
        countIf(is_landing) AS landings, countIf(is_bounce) AS bounces
      FROM listed_sessions GROUP BY label
    ) AS counted GROUP BY label HAVING sum(views_full) + sum(views_aggregate) + sum(visitors) + sum(sessions) > 0
  `;
  return await readList<SourcesColumn, SourceCounts>(engine, { definitions, from, rows, choice }, {
    sums: ["views_full", "views_aggregate", "sessions", "landings", "bounces"],
    order: "sessions DESC, views_full + views_aggregate DESC, label",
    columns: {
      label: "nullIf(label, '')",
      views: "views_full + views_aggregate",
      sessions: "sessions",
      visitors: "visitors",
      landings: "landings",
      bounceRate: "bounces / nullIf(landings, 0)",
    },
    read: (row) => ({
      label: row.label === "" ? null : String(row.label),
      visitors: readNumber(row.visitors),
      ...readSums(row),
    }),
    readSums,
  });
}

function readSums(row: Row): Omit<SourceCounts, "label" | "visitors"> {
  return { views: readViews(row), ...readNumbers(row, ["sessions", "landings", "bounces"]) };
}
