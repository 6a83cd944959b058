import { hashKey } from "../keys/digest.ts";
import { openClickHouse } from "../sinks/clickhouse/clickhouse_client.ts";
import type { ClickHouseOptions, Parameters, Row } from "../sinks/clickhouse/clickhouse_port.ts";
import { checkSchema, EVENTS_TABLE } from "../sinks/clickhouse/clickhouse_schema.ts";
import { PAGEVIEW_NAME } from "../sinks/sink.ts";
import {
  MAX_SITES,
  type PageviewCounts,
  type PageviewRow,
  parseViolation,
  type Report,
  type ReportLimits,
  type ReportReader,
  type ReportScope,
  sumCounts,
} from "./reader.ts";

/** Reads the reports of a ClickHouse. */
export interface ClickHouseReader extends ReportReader {
  /** Ends the connections. */
  close(): Promise<void>;
}

/** Runs a query and returns its rows. */
type Select = (query: string, parameters: Parameters) => Promise<readonly Row[]>;

/** Days that the table has; others are in the first or the last of them. */
const [FIRST_DAY, LAST_DAY] = ["1900-01-01", "2299-12-31"] as const;

/**
 * FINAL leaves out what came twice and isn't merged yet. What came twice is in one partition: each is looked at by itself.
 * An index on another column must not hide the first of two; ClickHouse looks for it where the setting says so.
 */
const EXACTLY = `
  SETTINGS do_not_merge_across_partitions_select_final = 1, use_skip_indexes_if_final = 1,
    use_skip_indexes_if_final_exact_mode = 1, max_execution_time = 20
`;

const IN_RANGE = `
  key_hash = {keyHash:String} AND site = {site:String}
  AND day BETWEEN toDate32({from:String}) AND toDate32({to:String})
`;

const IS_VIEW = `name = '${PAGEVIEW_NAME}'`;

const COUNTS = "countIf(collection = 'full') AS full, countIf(collection = 'aggregate') AS aggregate";

/** Without FINAL, which would read all years: until what came twice is merged, a list may be in another order. */
const SITES = `
  SELECT site FROM ${EVENTS_TABLE} WHERE key_hash = {keyHash:String} AND site <> ''
  GROUP BY site ORDER BY count() DESC, site LIMIT ${MAX_SITES}
`;

/** Pageviews and distinct sessions by day, and of the whole range, which comes last and has no day. */
const DAYS = `
  SELECT day, grouping(day) AS is_sum,
    countIf(${IS_VIEW} AND collection = 'full') AS full,
    countIf(${IS_VIEW} AND collection = 'aggregate') AS aggregate,
    uniqExactIf(session_hash, collection = 'full' AND session_hash <> sipHash64('')) AS sessions
  FROM ${EVENTS_TABLE} FINAL WHERE ${IN_RANGE}
  GROUP BY ROLLUP (day) HAVING full + aggregate + sessions > 0 ORDER BY is_sum, day ${EXACTLY}
`;

/** The lists, by the numbers that the query gives them. */
const [NAMES, PATHS, REFERRERS, VIOLATIONS] = [1, 2, 3, 4] as const;

/** Stands for no label where an event isn't in a list: labels have no control characters. */
const NONE = "'\\n'";

/**
 * The lists, in one pass over the events. Equal counts come in the order of their labels, so that a report reads the same
 * twice.
 */
const LISTS = `
  WITH ${IS_VIEW} AS is_view, is_view AND (referrer <> site OR site = '') AS is_referred
  SELECT list, label, full, aggregate, labels, events
  FROM (
    SELECT list, label, full, aggregate, count() OVER (PARTITION BY list) AS labels,
      sum(full + aggregate) OVER (PARTITION BY list) AS events,
      row_number() OVER (PARTITION BY list ORDER BY full + aggregate DESC, label) AS place
    FROM (
      SELECT
        multiIf(
          grouping(as_name) = 0, ${NAMES}, grouping(as_path) = 0, ${PATHS}, grouping(as_referrer) = 0, ${REFERRERS},
          ${VIOLATIONS}
        ) AS list,
        multiIf(
          list = ${NAMES}, toString(as_name), list = ${PATHS}, as_path, list = ${REFERRERS}, toString(as_referrer),
          as_violation
        ) AS label,
        ${COUNTS}
      FROM (
        SELECT collection, name AS as_name, if(is_view, path, ${NONE}) AS as_path,
          if(is_referred, referrer, ${NONE}) AS as_referrer,
          if(violation <> '', concat(violation, ' ', name), ${NONE}) AS as_violation
        FROM ${EVENTS_TABLE} FINAL WHERE ${IN_RANGE}
      )
      GROUP BY GROUPING SETS ((as_name), (as_path), (as_referrer), (as_violation))
      HAVING label <> ${NONE}
    )
  )
  WHERE place <= {rows:UInt32} ORDER BY list, place ${EXACTLY}
`;

/** Pageviews of one path by day. */
const PATH_BY_DAY = `
  SELECT day, path AS label, ${COUNTS} FROM ${EVENTS_TABLE} FINAL
  WHERE ${IN_RANGE} AND ${IS_VIEW} AND path = {path:String} GROUP BY day, path ORDER BY day ${EXACTLY}
`;

/** Pageviews of one day by path. */
const PATHS_OF_DAY = `
  SELECT day, path AS label, ${COUNTS} FROM ${EVENTS_TABLE} FINAL
  WHERE ${IN_RANGE} AND ${IS_VIEW} GROUP BY day, path ORDER BY path ${EXACTLY}
`;

/** Pageviews of a key that arrived in a month. */
const PAGEVIEWS_OF_MONTH = `
  SELECT count() AS count FROM ${EVENTS_TABLE} FINAL
  WHERE key_hash = {keyHash:String} AND ${IS_VIEW}
    AND received_at >= toDateTime64({start:String}, 3, 'UTC')
    AND received_at < addMonths(toDateTime64({start:String}, 3, 'UTC'), 1) ${EXACTLY}
`;

/**
 * Connects to a ClickHouse that a loader fills, and creates the reader of its reports. Its counts are exact, also while
 * what came twice isn't merged yet. It needs no more than the right to read.
 *
 * @example
 * ```ts
 * import { createReports, type Reports } from "@vendor/sdk/ingest";
 * import { createClickHouseReader } from "@vendor/sdk/ingest/clickhouse";
 *
 * export async function openReports(): Promise<Reports> {
 *   const reader = await createClickHouseReader({ url: "http://localhost:8123", user: "reports", password: "secret" });
 *   const key = { apiKey: "pk_live_1", secretKey: "sk_live_0123456789", origins: ["https://shop.example"] };
 *   return createReports({ keys: [key], reader });
 * }
 * ```
 *
 * @throws {Error} Where the package `@clickhouse/client` isn't installed, for an address that doesn't answer, a version
 * before 26.3, and a database that no loader has opened yet.
 */
export async function createClickHouseReader(options: ClickHouseOptions): Promise<ClickHouseReader> {
  const clickHouse = await openClickHouse(options);
  const { select, close } = clickHouse;
  try {
    await checkSchema(clickHouse);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    async sites(apiKey) {
      const rows = await select(SITES, { keyHash: await hashKey(apiKey) });
      return rows.map(({ site }) => String(site));
    },
    async read(scope, limits) {
      return await readReport(select, await bindScope(scope), limits);
    },
    async readPath(scope, path) {
      return (await select(PATH_BY_DAY, { ...await bindScope(scope), path })).map(readPageviewRow);
    },
    async readDay(scope, day) {
      return (await select(PATHS_OF_DAY, await bindScope({ ...scope, from: day, to: day }))).map(readPageviewRow);
    },
    async countPageviews(apiKey, month) {
      const [row] = await select(PAGEVIEWS_OF_MONTH, { keyHash: await hashKey(apiKey), start: `${month}-01 00:00:00` });
      return Number(row?.count);
    },
    close,
  };
}

async function readReport(select: Select, scope: Parameters, { rows }: ReportLimits): Promise<Report> {
  const [days, entries] = await Promise.all([select(DAYS, scope), select(LISTS, { ...scope, rows })]);
  const lists = Map.groupBy(entries, ({ list }) => Number(list));
  const ofList = (list: number): readonly Row[] => lists.get(list) ?? [];
  const labelsOf = (list: number): number => Number(ofList(list)[0]?.labels ?? 0);
  const sum = days.find(isSum);
  return {
    totals: {
      pageviews: readCounts(sum),
      sessions: Number(sum?.sessions ?? 0),
      events: Number(ofList(NAMES)[0]?.events ?? 0),
      paths: labelsOf(PATHS),
      referrers: labelsOf(REFERRERS),
      names: labelsOf(NAMES),
      violations: labelsOf(VIOLATIONS),
    },
    days: days.filter((row) => !isSum(row))
      .map((row) => ({ day: String(row.day), ...readCounts(row), sessions: Number(row.sessions) })),
    paths: ofList(PATHS).map((row) => ({ path: String(row.label), ...readCounts(row) })),
    referrers: ofList(REFERRERS).map((row) => ({ referrer: String(row.label) || null, ...readCounts(row) })),
    events: ofList(NAMES).map((row) => ({ name: String(row.label), count: readCounts(row).total })),
    violations: ofList(VIOLATIONS)
      .map((row) => ({ ...parseViolation(String(row.label)), count: readCounts(row).total })),
  };
}

async function bindScope({ apiKey, site, from, to }: ReportScope): Promise<Parameters> {
  return { keyHash: await hashKey(apiKey), site, from: toKnownDay(from), to: toKnownDay(to) };
}

function toKnownDay(day: string): string {
  if (day < FIRST_DAY) return FIRST_DAY;
  return day > LAST_DAY ? LAST_DAY : day;
}

function isSum(row: Row): boolean {
  return Number(row.is_sum) === 1;
}

function readPageviewRow(row: Row): PageviewRow {
  return { day: String(row.day), path: String(row.label), ...readCounts(row) };
}

function readCounts(row: Row = {}): PageviewCounts {
  return sumCounts([{ full: Number(row.full ?? 0), aggregate: Number(row.aggregate ?? 0) }]);
}
