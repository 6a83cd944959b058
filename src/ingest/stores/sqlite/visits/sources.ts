import type { Listed, SourceCounts, SourceGrouping } from "../../../ports/reader.ts";
import type { Chosen } from "./chosen.ts";
import { createCounts, listCounts } from "./listed.ts";
import { BOUNCES } from "./overview.ts";
import { readViews, type Row, VIEWS } from "./select.ts";
import { SOURCE_OF_VISIT } from "./source_labels.ts";

/** Counts sources. */
export function countSources(
  { database, query: { from, to }, select, facts, visits, labels: label }: Chosen,
  by: SourceGrouping,
  rows: number,
): Listed<SourceCounts> {
  const labels = label(by);
  // A session that is no landing has no label, and no path has its number.
  const [ofFact, ofVisit] = by === "landing"
    ? ["f.path", "iif(v.is_landing, v.entry, 0)"]
    : ["f.source", SOURCE_OF_VISIT];
  createCounts(database, {
    table: "sources",
    query:
      `SELECT label, sum(full_views) AS full_views, sum(aggregate_views) AS aggregate_views, sum(sessions) AS sessions,
        sum(visitors) AS visitors, sum(landings) AS landings, sum(bounces) AS bounces
      FROM (
        SELECT coalesce(l.label, '') AS label, 0 AS full_views, 0 AS aggregate_views, count(*) AS sessions,
          count(DISTINCT v.visitor) AS visitors, sum(v.is_landing) AS landings, ${BOUNCES} AS bounces
        FROM ${visits.table} LEFT JOIN ${labels} AS l ON l.id = ${ofVisit} WHERE ${visits.condition} GROUP BY 1
        UNION ALL
        SELECT l.label, full_views, aggregate_views, 0, 0, 0, 0 FROM (
          SELECT ${ofFact} AS id, ${VIEWS} FROM facts AS f WHERE ${facts} AND f.kind <= 1 AND f.is_arrival = 1 GROUP BY 1
        ) AS counts JOIN ${labels} AS l ON l.id = counts.id
      ) GROUP BY label`,
    bounds: [from, to, from, to],
  });
  return listCounts(select, {
    table: "sources",
    sums: ["full_views", "aggregate_views", "sessions", "landings", "bounces"],
    query: "SELECT c.* FROM sources AS c ORDER BY c.sessions DESC, c.full_views + c.aggregate_views DESC, c.label",
    rows,
    readSums,
    read: (row) => ({ label: String(row.label) || null, visitors: Number(row.visitors), ...readSums(row) }),
  });
}

function readSums(row: Row): Omit<SourceCounts, "label" | "visitors"> {
  return {
    views: readViews(row),
    sessions: Number(row.sessions ?? 0),
    landings: Number(row.landings ?? 0),
    bounces: Number(row.bounces ?? 0),
  };
}
