import type { Listed, PageCounts } from "../../../ports/reader.ts";
import type { Chosen } from "./chosen.ts";
import { createCounts, listCounts } from "./listed.ts";
import { BOUNCES } from "./overview.ts";
import { readViews, type Row, VIEWS } from "./select.ts";

/** Counts pages. */
export function countPages(chosen: Chosen, rows: number): Listed<PageCounts> {
  const { database, query: { from, to }, select, facts, visits, paths } = chosen;
  // Paths that the rules write the same are one page, which has the number of one of them.
  const pageOf = paths.hasRules ? (path: string): string => `(SELECT page FROM path_pages WHERE id = ${path})` : String;
  const labels = paths.hasRules ? "page_labels" : "(SELECT id, text AS label FROM fact_texts)";
  if (paths.hasRules) createPageLabels(chosen);
  const bounds = [from, to];
  // One pass through the visits, which takes longer than to group its counts twice.
  createCounts(database, {
    table: "page_ends",
    query: `SELECT ${pageOf("v.entry")} AS entry, ${pageOf("v.exit")} AS exit, sum(v.is_landing) AS entries,
        ${BOUNCES} AS bounces, count(*) AS exits
      FROM ${visits.table} WHERE ${visits.condition} AND v.exit IS NOT NULL GROUP BY 1, 2`,
    bounds,
  });
  createCounts(database, {
    table: "pages",
    query:
      `SELECT views.*, coalesce(entries, 0) AS entries, coalesce(bounces, 0) AS bounces, coalesce(exits, 0) AS exits
      FROM (
        SELECT ${pageOf("f.path")} AS page, ${VIEWS},
          count(DISTINCT CASE WHEN f.kind = 1 THEN f.visitor END) AS visitors, sum(f.engaged) AS engaged
        FROM facts AS f WHERE ${facts} AND (f.kind <= 1 OR f.engaged > 0) GROUP BY 1
        HAVING full_views + aggregate_views > 0
      ) AS views LEFT JOIN (
        SELECT entry AS page, sum(entries) AS entries, sum(bounces) AS bounces FROM page_ends GROUP BY 1
      ) USING (page) LEFT JOIN (SELECT exit AS page, sum(exits) AS exits FROM page_ends GROUP BY 1) USING (page)`,
    bounds,
  });
  return listCounts(select, {
    table: "pages",
    sums: ["full_views", "aggregate_views", "entries", "exits", "bounces", "engaged"],
    query: `SELECT c.*, l.label AS label FROM pages AS c JOIN ${labels} AS l ON l.id = c.page
      ORDER BY c.full_views + c.aggregate_views DESC, l.label`,
    rows,
    readSums,
    read: (row) => ({ path: String(row.label), visitors: Number(row.visitors), ...readSums(row) }),
  });
}

function readSums(row: Row): Omit<PageCounts, "path" | "visitors"> {
  return {
    views: readViews(row),
    entries: Number(row.entries ?? 0),
    exits: Number(row.exits ?? 0),
    bounces: Number(row.bounces ?? 0),
    engagedMs: Number(row.engaged ?? 0),
  };
}

function createPageLabels({ database, paths }: Chosen): void {
  database.exec(`
    CREATE TEMP TABLE path_pages (id INTEGER PRIMARY KEY, page INTEGER NOT NULL) STRICT;
    CREATE TEMP TABLE page_labels (id INTEGER PRIMARY KEY, label TEXT NOT NULL) STRICT;
  `);
  const addPath = database.prepare("INSERT INTO path_pages (id, page) VALUES (?, ?)");
  const addLabel = database.prepare("INSERT INTO page_labels (id, label) VALUES (?, ?)");
  const pages = new Map<string, number>();
  for (const { id, path } of paths.read()) {
    const page = pages.get(path) ?? id;
    if (page === id) addLabel.run(id, path);
    pages.set(path, page);
    addPath.run(id, page);
  }
}
