import type { Listed, SourceCounts, SourceDimension } from "../../../ports/reader.ts";
import type { Chosen } from "./chosen.ts";
import { compareTexts, sumViews } from "./order.ts";
import { BOUNCES } from "./overview.ts";
import { readViews, VIEWS } from "./select.ts";
import { SOURCE_OF_VISIT } from "./source_labels.ts";

/** Counts sources. */
export function countSources(
  { query: { from, to }, select, facts, visits, labels: label }: Chosen,
  by: SourceDimension,
  rows: number,
): Listed<SourceCounts> {
  const labels = label(by);
  const sessions = select(
    `SELECT l.label AS label, count(*) AS sessions, count(DISTINCT v.visitor) AS visitors,
      sum(v.is_landing) AS landings, ${BOUNCES} AS bounces
    FROM ${visits.table} JOIN ${labels} AS l ON l.id = ${SOURCE_OF_VISIT}
    WHERE ${visits.condition} GROUP BY 1`,
    from,
    to,
  );
  const views = select(
    `SELECT l.label AS label, sum(full_views) AS full_views, sum(aggregate_views) AS aggregate_views FROM (
      SELECT f.source AS id, ${VIEWS} FROM facts AS f WHERE ${facts} AND f.kind <= 1 AND f.is_arrival = 1 GROUP BY 1
    ) AS counts JOIN ${labels} AS l ON l.id = counts.id GROUP BY 1`,
    from,
    to,
  );
  const sessionsOf = new Map(sessions.map((row) => [String(row.label), row]));
  const viewsOf = new Map(views.map((row) => [String(row.label), row]));
  const sources = [...new Set([...sessionsOf.keys(), ...viewsOf.keys()])].map((label): SourceCounts => {
    const row = sessionsOf.get(label);
    return {
      label: label || null,
      views: readViews(viewsOf.get(label) ?? {}),
      sessions: Number(row?.sessions ?? 0),
      visitors: Number(row?.visitors ?? 0),
      landings: Number(row?.landings ?? 0),
      bounces: Number(row?.bounces ?? 0),
    };
  }).sort((one, other) =>
    other.sessions - one.sessions || sumViews(other.views) - sumViews(one.views) ||
    compareTexts(one.label ?? "", other.label ?? "")
  );
  return { rows: sources.slice(0, rows), count: sources.length };
}
