/**
 * The queries of a report. Parameters: 1 the publishable key, 2 the site, 3 and 4 the first and the last UTC day, 5
 * the most rows of a list.
 *
 * @module
 */
import { MAX_SITES } from "./reader.ts";
import { ROLLUP_TABLES } from "./sqlite_rollup.ts";

const { paths, referrers, names, sessions } = ROLLUP_TABLES;

const OF_SITE = "site_id = (SELECT site_id FROM report_sites WHERE api_key = ?1 AND site = ?2)";

const IN_RANGE = `${OF_SITE} AND day BETWEEN ?3 AND ?4`;

const SUMS = "sum(full_count) AS full_count, sum(aggregate_count) AS aggregate_count";

/** Origins that a key has events of, by their number; a sender may make up any number of origins. */
export const SITES: string = `
  SELECT site FROM report_sites JOIN ${names} USING (site_id) WHERE api_key = ?1 AND site <> ''
  GROUP BY site_id ORDER BY sum(full_count + aggregate_count) DESC, site LIMIT ${MAX_SITES}
`;

/** Pageviews by day. */
export const DAYS: string = `SELECT day, ${SUMS} FROM ${paths} WHERE ${IN_RANGE} GROUP BY day`;

/** Distinct sessions by day. */
export const SESSIONS_BY_DAY: string =
  `SELECT day, count(*) AS sessions FROM ${sessions} WHERE ${IN_RANGE} GROUP BY day`;

/** Distinct sessions of the range; grouping takes half the time of `count(DISTINCT label)`. */
export const SESSIONS: string =
  `SELECT count(*) AS sessions FROM (SELECT 1 FROM ${sessions} WHERE ${IN_RANGE} GROUP BY label)`;

/** Pageviews by path, and the number of paths. */
export const PATHS: string = buildTop(paths);

/** Pageviews by referrer, and the number of referrers. */
export const REFERRERS: string = buildTop(referrers);

/** Events by name, the number of names, and that of events. */
export const NAMES: string = buildTop(names);

/** Pageviews of one path, the parameter 5, by day. */
export const PATH_BY_DAY: string =
  `SELECT day, label, full_count, aggregate_count FROM ${paths} WHERE ${IN_RANGE} AND label = ?5 ORDER BY day`;

/** Pageviews of one day, the parameter 3, by path. */
export const PATHS_OF_DAY: string =
  `SELECT day, label, full_count, aggregate_count FROM ${paths} WHERE ${OF_SITE} AND day = ?3 ORDER BY label`;

/** Pageviews of a key that arrived in the month that is the parameter 2: the sink's own count for the allowance. */
export const PAGEVIEWS_OF_MONTH = "SELECT count FROM pageviews WHERE api_key = ?1 AND month = ?2";

// Equal counts come in the order of their labels, so that a report reads the same twice. The sums over all labels
// come with each row: they are at hand before the limit applies, and a query of their own would read all again.
function buildTop(table: string): string {
  return `
    SELECT label, ${SUMS}, count(*) OVER () AS labels, sum(sum(full_count + aggregate_count)) OVER () AS events
    FROM ${table} WHERE ${IN_RANGE}
    GROUP BY label ORDER BY sum(full_count + aggregate_count) DESC, label LIMIT ?5
  `;
}
