import { FIGURES } from "../../events/figures.ts";
import type { ConvertedList, SourcesColumn } from "../../ports/reader.ts";
import type { Listed, SourceCounts } from "../../ports/report_counts.ts";
import type { ListChoice, ReportQuery } from "../../ports/report_query.ts";
import type { Engine, Row } from "./engine.ts";
import { writeFirstLabel } from "./list_tables.ts";
import { readList } from "./lists.ts";
import { readNumber, readNumbers, readViews, VIEWS } from "./rows.ts";
import { buildTables } from "./tables.ts";

/** Groups by own labels and visitors first: ClickHouse counts all sessions of the site for each join with their firsts. */
const OF_FIRST = `
  SELECT label, sum(views) AS views_full, 0 AS views_aggregate, uniqExactIf(visitor, visitor <> 0 AND visits > 0) AS visitors,
    sum(visits) AS sessions, sum(landed) AS landings, sum(bounced) AS bounces
  FROM (
    SELECT ${writeFirstLabel("own")} AS label, visitor, views, visits, landed, bounced FROM (
      SELECT label AS own, visitor_hash AS visitor, count() AS views, 0 AS visits, 0 AS landed, 0 AS bounced
      FROM listed_events WHERE is_full GROUP BY own, visitor
      UNION ALL
      SELECT label AS own, session_visitor AS visitor, 0 AS views, count() AS visits, countIf(is_landing) AS landed,
        countIf(is_bounce) AS bounced
      FROM listed_sessions GROUP BY own, visitor
    ) AS o LEFT JOIN first_sessions AS f ON o.visitor = f.first_visitor
  ) AS counted GROUP BY label
`;

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
  const counted = `
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
  const from = list.list === "sources" && list.of === "first" ? OF_FIRST : counted;
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
