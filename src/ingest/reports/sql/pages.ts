import { FIGURES } from "../../events/figures.ts";
import type { PageColumn, ReportReader } from "../../ports/reader.ts";
import type { Listed, PageCounts } from "../../ports/report_counts.ts";
import type { Engine, Row } from "./engine.ts";
import { readList } from "./lists.ts";
import { readNumber, readNumbers, readViews, VIEWS } from "./rows.ts";
import { buildTables } from "./tables.ts";

/** Only paths with pageviews in the range. Both ends of sessions are grouped in one pass. */
const PAGES = `
  SELECT label, sum(views_full) AS views_full, sum(views_aggregate) AS views_aggregate, sum(visitors) AS visitors,
    sum(entries) AS entries, sum(exits) AS exits, sum(bounces) AS bounces, sum(engaged) AS engaged
  FROM (
    SELECT page AS label, ${VIEWS}, uniqExactIf(visitor_hash, ${FIGURES.visitors.sql}) AS visitors,
      0 AS entries, 0 AS exits, 0 AS bounces, sum(engaged_ms) AS engaged
    FROM chosen_events GROUP BY page
    UNION ALL
    SELECT if(is_end = 1, last_page, first_page) AS label, 0 AS views_full, 0 AS views_aggregate, 0 AS visitors,
      if(is_end = 1, 0, all_entries) AS entries, if(is_end = 1, all_exits, 0) AS exits,
      if(is_end = 1, 0, all_bounces) AS bounces, 0 AS engaged
    FROM (
      SELECT grouping(first_page) AS is_end, first_page, last_page, countIf(is_landing) AS all_entries,
        countIf(views > 0) AS all_exits, countIf(is_bounce) AS all_bounces
      FROM chosen_sessions GROUP BY GROUPING SETS ((first_page), (last_page))
    ) AS ends
  ) AS counted GROUP BY label HAVING sum(views_full) + sum(views_aggregate) > 0
`;

const VIEWED_PAGES = `SELECT page AS label, ${VIEWS} FROM chosen_events WHERE is_view GROUP BY page`;

/** Counts pages. */
export async function readPages(
  engine: Engine,
  ...[query, rows, choice]: Parameters<ReportReader["pages"]>
): Promise<Listed<PageCounts>> {
  const isBrief = choice?.isBrief === true;
  const definitions = await buildTables(engine, query, { list: { list: "pages" }, goal: choice?.goal });
  return await readList<PageColumn, PageCounts>(engine, {
    definitions,
    from: isBrief ? VIEWED_PAGES : PAGES,
    rows,
    choice,
  }, {
    sums: ["views_full", "views_aggregate", ...(isBrief ? [] : ["entries", "exits", "bounces", "engaged"])],
    order: "views_full + views_aggregate DESC, label",
    columns: {
      path: "label",
      views: "views_full + views_aggregate",
      visitors: "visitors",
      consentShare: "views_full / (views_full + views_aggregate)",
      entries: "entries",
      exits: "exits",
      bounceRate: "bounces / nullIf(entries, 0)",
      exitRate: "if(exits > views_full, NULL, exits / nullIf(views_full, 0))",
      engagedMsPerView: "nullIf(engaged, 0) / nullIf(views_full, 0)",
    },
    read: (row) => ({ path: String(row.label), visitors: readNumber(row.visitors), ...readSums(row) }),
    readSums,
  });
}

function readSums(row: Row): Omit<PageCounts, "path" | "visitors"> {
  const engagedMs = readNumber(row.engaged);
  return { views: readViews(row), ...readNumbers(row, ["entries", "exits", "bounces"]), engagedMs };
}
