import type { Listed, PageCounts } from "../../../ports/reader.ts";
import type { Chosen } from "./chosen.ts";
import { createLabels } from "./labels.ts";
import { compareTexts, sumViews } from "./order.ts";
import { BOUNCES } from "./overview.ts";
import { readViews, type Row, VIEWS } from "./select.ts";

/** Counts pages. */
export function countPages(
  { database, query: { from, to }, select, facts, visits, paths }: Chosen,
  rows: number,
): Listed<PageCounts> {
  const { hasRules } = paths;
  if (hasRules) createLabels(database, "path_labels", paths.read().map(({ id, path }) => ({ id, label: path })));
  const labels = hasRules ? "path_labels" : "(SELECT id, text AS label FROM fact_texts)";
  const group = hasRules ? "l.label" : "f.path";
  const views = select(
    `SELECT l.label AS label, counts.* FROM (
      SELECT ${hasRules ? "min(f.path)" : "f.path"} AS id, ${VIEWS},
        count(DISTINCT CASE WHEN f.kind = 1 THEN f.visitor END) AS visitors, sum(f.engaged) AS engaged
      FROM facts AS f ${hasRules ? "JOIN path_labels AS l ON l.id = f.path" : ""}
      WHERE ${facts} AND (f.kind <= 1 OR f.engaged > 0) GROUP BY ${group}
      HAVING full_views + aggregate_views > 0
    ) AS counts JOIN ${labels} AS l ON l.id = counts.id`,
    from,
    to,
  );
  const ofVisits = (column: "entry" | "exit", condition: string): ReadonlyMap<string, Row> =>
    new Map(
      select(
        `SELECT l.label AS label, sum(visits) AS visits, sum(bounces) AS bounces FROM (
          SELECT v.${column} AS id, count(*) AS visits, ${BOUNCES} AS bounces
          FROM ${visits.table} WHERE ${visits.condition} AND ${condition} GROUP BY 1
        ) AS counts JOIN ${labels} AS l ON l.id = counts.id GROUP BY 1`,
        from,
        to,
      ).map((row) => [String(row.label), row]),
    );
  const entries = ofVisits("entry", "v.is_landing = 1");
  const exits = ofVisits("exit", "v.exit IS NOT NULL");
  const pages = views.map((row) => {
    const path = String(row.label);
    const entry = entries.get(path);
    return {
      path,
      views: readViews(row),
      visitors: Number(row.visitors),
      entries: Number(entry?.visits ?? 0),
      exits: Number(exits.get(path)?.visits ?? 0),
      bounces: Number(entry?.bounces ?? 0),
      engagedMs: Number(row.engaged),
    };
  });
  const sorted = pages.sort((one, other) =>
    sumViews(other.views) - sumViews(one.views) || compareTexts(one.path, other.path)
  );
  return { rows: sorted.slice(0, rows), count: sorted.length };
}
