import type { Listed, ReportReader, SourceCounts, SourceGrouping } from "../../../ports/reader.ts";
import type { Chosen } from "./chosen.ts";
import { createFirstVisits } from "./first_visits.ts";
import { createCounts, listCounts } from "./listed.ts";
import { BOUNCES } from "./overview.ts";
import { readViews, type Row, VIEWS } from "./select.ts";
import { FIRST_COUNTS, SOURCE_OF_VISIT } from "./source_labels.ts";

/** Counts sources. */
export function countSources(
  chosen: Chosen,
  { by, of }: Parameters<ReportReader["sources"]>[1],
  rows: number,
): Listed<SourceCounts> {
  const { database, select } = chosen;
  // A session that is no landing has no label, and no path has its number.
  const own: Numbers = by === "landing"
    ? { ofFact: "f.path", ofVisit: "iif(v.is_landing, v.entry, 0)" }
    : { ofFact: "f.source", ofVisit: SOURCE_OF_VISIT };
  const { query, bounds } = of === "first" ? countOfFirst(chosen, by, own) : buildOfSession(chosen, by, own);
  createCounts(database, {
    table: "sources",
    query:
      `SELECT label, sum(full_views) AS full_views, sum(aggregate_views) AS aggregate_views, sum(sessions) AS sessions,
        sum(visitors) AS visitors, sum(landings) AS landings, sum(bounces) AS bounces
      FROM (${query}) GROUP BY label`,
    bounds,
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

/** What a fact `f` and a visit `v` are listed under by themselves, a number of a source or a path. */
interface Numbers {
  readonly ofFact: string;
  readonly ofVisit: string;
}

/** A query of counts by label, and its parameters. */
interface LabelledCounts {
  readonly query: string;
  readonly bounds: readonly number[];
}

const SESSIONS =
  `count(*) AS sessions, count(DISTINCT v.visitor) AS visitors, sum(v.is_landing) AS landings, ${BOUNCES} AS bounces`;

function buildOfSession(
  { query: { from, to }, facts, visits, labels: label }: Chosen,
  by: SourceGrouping,
  { ofFact, ofVisit }: Numbers,
): LabelledCounts {
  const labels = label(by);
  return {
    query: `SELECT coalesce(l.label, '') AS label, 0 AS full_views, 0 AS aggregate_views, ${SESSIONS}
      FROM ${visits.table} LEFT JOIN ${labels} AS l ON l.id = ${ofVisit} WHERE ${visits.condition} GROUP BY 1
      UNION ALL
      SELECT l.label, full_views, aggregate_views, 0, 0, 0, 0 FROM (
        SELECT ${ofFact} AS id, ${VIEWS} FROM facts AS f WHERE ${facts} AND f.kind <= 1 AND f.is_arrival = 1 GROUP BY 1
      ) AS counts JOIN ${labels} AS l ON l.id = counts.id`,
    bounds: [from, to, from, to],
  };
}

/** Counts by number first: a visitor has one, so that visitors add up, and only these numbers need labels. */
function countOfFirst(chosen: Chosen, by: SourceGrouping, { ofFact, ofVisit }: Numbers): LabelledCounts {
  const { database, query: { from, to }, facts, visits, labels: label } = chosen;
  createFirstVisits(chosen, ofVisit);
  createCounts(database, {
    table: FIRST_COUNTS,
    query: `SELECT coalesce(firsts.listed, ${ofVisit}) AS id, 0 AS full_views, 0 AS aggregate_views, ${SESSIONS}
      FROM ${visits.table} LEFT JOIN first_visits AS firsts ON firsts.visitor = v.visitor
      WHERE ${visits.condition} GROUP BY 1
      UNION ALL
      SELECT coalesce(firsts.listed, ${ofFact}), count(*), 0, 0, 0, 0, 0
      FROM facts AS f LEFT JOIN first_visits AS firsts ON firsts.visitor = f.visitor
      WHERE ${facts} AND f.kind = 1 AND f.is_arrival = 1 GROUP BY 1`,
    bounds: [from, to, from, to],
  });
  const labels = label(by, "first");
  return {
    query:
      `SELECT coalesce(l.label, '') AS label, c.* FROM ${FIRST_COUNTS} AS c LEFT JOIN ${labels} AS l ON l.id = c.id`,
    bounds: [],
  };
}

function readSums(row: Row): Omit<SourceCounts, "label" | "visitors"> {
  return {
    views: readViews(row),
    sessions: Number(row.sessions ?? 0),
    landings: Number(row.landings ?? 0),
    bounces: Number(row.bounces ?? 0),
  };
}
