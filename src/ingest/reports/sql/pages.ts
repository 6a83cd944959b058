import { FIGURES } from "../../events/figures.ts";
import type { PageColumn, ReportReader } from "../../ports/reader.ts";
import type { Listed, PageCounts } from "../../ports/report_counts.ts";
import { GOAL_ORDERS, joinConversions } from "./conversions.ts";
import type { Engine, Row } from "./engine.ts";
import { readList, readNumber, readViews, selectList, VIEWS, type WrittenList } from "./rows.ts";
import { buildTables } from "./tables.ts";

/** Only paths with pageviews in the range. Both ends of sessions are grouped in one pass. */
const PAGES = `
  SELECT path, sum(views_full) AS views_full, sum(views_aggregate) AS views_aggregate, sum(visitors) AS visitors,
    sum(entries) AS entries, sum(exits) AS exits, sum(bounces) AS bounces, sum(engaged) AS engaged
  FROM (
    SELECT page AS path, ${VIEWS}, uniqExactIf(visitor_hash, ${FIGURES.visitors.sql}) AS visitors,
      0 AS entries, 0 AS exits, 0 AS bounces, sum(engaged_ms) AS engaged
    FROM chosen_events GROUP BY page
    UNION ALL
    SELECT if(is_end = 1, last_page, first_page) AS path, 0 AS views_full, 0 AS views_aggregate, 0 AS visitors,
      if(is_end = 1, 0, all_entries) AS entries, if(is_end = 1, all_exits, 0) AS exits,
      if(is_end = 1, 0, all_bounces) AS bounces, 0 AS engaged
    FROM (
      SELECT grouping(first_page) AS is_end, first_page, last_page, countIf(is_landing) AS all_entries,
        countIf(views > 0) AS all_exits, countIf(is_bounce) AS all_bounces
      FROM chosen_sessions GROUP BY GROUPING SETS ((first_page), (last_page))
    ) AS ends
  ) AS counted GROUP BY path HAVING sum(views_full) + sum(views_aggregate) > 0
`;

const VIEWED_PAGES = `SELECT page AS path, ${VIEWS} FROM chosen_events WHERE is_view GROUP BY page`;

const VIEW_SUMS = ["views_full", "views_aggregate"] as const;

const LIST: WrittenList<PageColumn> = {
  sums: [...VIEW_SUMS, "entries", "exits", "bounces", "engaged"],
  name: "path",
  order: "views_full + views_aggregate DESC, path",
  columns: {
    path: "path",
    views: "views_full + views_aggregate",
    visitors: "visitors",
    consentShare: "views_full / (views_full + views_aggregate)",
    entries: "entries",
    exits: "exits",
    bounceRate: "bounces / nullIf(entries, 0)",
    exitRate: "if(exits > views_full, NULL, exits / nullIf(views_full, 0))",
    engagedMsPerView: "nullIf(engaged, 0) / nullIf(views_full, 0)",
    ...GOAL_ORDERS,
  },
};

/** Counts pages. */
export async function readPages(
  engine: Engine,
  ...[query, rows, choice]: Parameters<ReportReader["pages"]>
): Promise<Listed<PageCounts>> {
  const { goal, isBrief = false } = choice ?? {};
  const { definitions } = await buildTables(engine, query, goal && { goal });
  const from = isBrief
    ? VIEWED_PAGES
    : joinConversions(PAGES, { name: "path", list: { list: "pages" }, goal, dialect: engine.dialect });
  const found = await selectList(engine, { definitions, from }, {
    ...LIST,
    ...(isBrief && { sums: VIEW_SUMS }),
    rows,
    choice,
  });
  return readList(
    found,
    (row) => ({ path: String(row.path), visitors: readNumber(row.visitors), ...readSums(row) }),
    readSums,
  );
}

function readSums(row: Row): Omit<PageCounts, "path" | "visitors"> {
  return {
    views: readViews(row),
    entries: readNumber(row.entries),
    exits: readNumber(row.exits),
    bounces: readNumber(row.bounces),
    engagedMs: readNumber(row.engaged),
  };
}
