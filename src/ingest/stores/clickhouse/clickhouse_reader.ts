import { hashKey } from "../../platform/digest.ts";
import { openClickHouse } from "./clickhouse_client.ts";
import type { ClickHouseOptions, Parameters, Row } from "./clickhouse_port.ts";
import { checkSchema, EVENTS_TABLE, EXACTLY } from "./clickhouse_schema.ts";
import type { Select } from "./clickhouse_visit_words.ts";
import { createVisitStore } from "./clickhouse_visits.ts";
import { PAGEVIEW_NAME } from "../../events/stored_event.ts";
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
  type ViolationRow,
} from "../../ports/reader.ts";
import type { ReportStore } from "../../ports/report_store.ts";

/** Reads the reports of a ClickHouse. */
export interface ClickHouseReader extends ReportReader, ReportStore {
  /** Ends the connections. */
  close(): Promise<void>;
}

/** Days that the table has; others are in the first or the last of them. */
const [FIRST_DAY, LAST_DAY] = ["1900-01-01", "2299-12-31"] as const;

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

/** The lists of a report, by the numbers that the query gives them. */
const [NAMES, PATHS, REFERRERS, VIOLATIONS, DAYS] = [1, 2, 3, 4, 5] as const;

/** Stands for the session of an event that has none. */
const NO_SESSION = "sipHash64('')";

/**
 * The whole report, in one pass over the events: to leave out what came twice is half the work. Each event is counted
 * under its name, its path, its referrer, its violation, and its day and session. The counts of one list are summed by
 * label and by day: all lists but that of the days have no days, and the days have no labels, so that the other row is
 * the list's sum. Equal counts come in the order of their labels: a report reads the same twice.
 */
const REPORT = `
  SELECT list, grouping(label) AS is_day, label, day, sum(all) AS events, sum(full) AS full,
    sum(aggregate) AS aggregate, count() AS labels, uniqExactIf(session, session <> ${NO_SESSION}) AS sessions
  FROM (
    WITH ${IS_VIEW} AS is_view
    SELECT
      multiIf(
        grouping(path) = 0, ${PATHS}, grouping(referrer) = 0, ${REFERRERS}, grouping(violation) = 0, ${VIOLATIONS},
        grouping(name) = 0, ${NAMES}, ${DAYS}
      ) AS list,
      toLowCardinality(multiIf(
        list = ${NAMES}, toString(name), list = ${PATHS}, toString(path), list = ${REFERRERS}, toString(referrer),
        list = ${VIOLATIONS}, concat(violation, ' ', name), ''
      )) AS label,
      day,
      if(collection = 'full', session_hash, ${NO_SESSION}) AS session,
      count() AS all,
      countIf(is_view AND collection = 'full') AS full,
      countIf(is_view AND collection = 'aggregate') AS aggregate
    FROM ${EVENTS_TABLE} FINAL WHERE ${IN_RANGE}
    GROUP BY GROUPING SETS ((name), (path), (referrer), (violation, name), (day, session))
    HAVING multiIf(
      list = ${NAMES}, true,
      list = ${VIOLATIONS}, violation <> '',
      list = ${REFERRERS}, full + aggregate > 0 AND (referrer <> {site:String} OR {site:String} = '')
        AND (referrer = '' OR NOT has(splitByChar(' ', {ownOrigins:String}), toString(referrer))),
      list = ${DAYS}, full + aggregate > 0 OR session <> ${NO_SESSION},
      full + aggregate > 0
    )
  )
  GROUP BY GROUPING SETS ((list, label), (list, day))
  ORDER BY list, is_day, day, if(list IN (${PATHS}, ${REFERRERS}), full + aggregate, events) DESC, label
  LIMIT {rows:UInt32} BY list, is_day, day ${EXACTLY}
`;

/** Visitors and users. A pass of its own: by the many ids, the other lists would take longer. */
const PEOPLE = `
  SELECT uniqExactIf(anonymous_id, anonymous_id <> '') AS visitors, uniqExact(user_id) AS users
  FROM ${EVENTS_TABLE} FINAL WHERE ${IN_RANGE} AND collection = 'full' ${EXACTLY}
`;

/** Events that break the plan, by kind and name. */
const VIOLATIONS_OF_DAYS = `
  SELECT concat(violation, ' ', name) AS label, count() AS events FROM ${EVENTS_TABLE} FINAL
  WHERE ${IN_RANGE} AND violation <> '' GROUP BY label ORDER BY events DESC, label LIMIT {rows:UInt32} ${EXACTLY}
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

/** Day of a site's newest event. Without FINAL: what came twice is of the same day. */
const LAST_DAY_OF_SITE = `
  SELECT max(day) AS day, count() AS count FROM ${EVENTS_TABLE}
  WHERE key_hash = {keyHash:String} AND site = {site:String}
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
    ...createVisitStore(select),
    async sites(apiKey) {
      const rows = await select(SITES, { keyHash: await hashKey(apiKey) });
      return rows.map(({ site }) => String(site));
    },
    async read(scope, limits) {
      return await readReport(select, await bindScope(scope), limits);
    },
    async violations(scope, { rows }) {
      return (await select(VIOLATIONS_OF_DAYS, { ...await bindScope(scope), rows })).map(readViolationRow);
    },
    async readPath(scope, path) {
      return (await select(PATH_BY_DAY, { ...await bindScope(scope), path })).map(readPageviewRow);
    },
    async readDay(scope, day) {
      return (await select(PATHS_OF_DAY, await bindScope({ ...scope, from: day, to: day }))).map(readPageviewRow);
    },
    async lastDay({ apiKey, site }) {
      const [row] = await select(LAST_DAY_OF_SITE, { keyHash: await hashKey(apiKey), site });
      return Number(row?.count) > 0 ? String(row?.day) : undefined;
    },
    async countPageviews(apiKey, month) {
      const [row] = await select(PAGEVIEWS_OF_MONTH, { keyHash: await hashKey(apiKey), start: `${month}-01 00:00:00` });
      return Number(row?.count);
    },
    close,
  };
}

async function readReport(select: Select, scope: Parameters, { rows }: ReportLimits): Promise<Report> {
  const [entries, [people = {}]] = await Promise.all([select(REPORT, { ...scope, rows }), select(PEOPLE, scope)]);
  const findRows = (list: number, isDay: boolean): readonly Row[] =>
    entries.filter((row) => Number(row.list) === list && Number(row.is_day) === Number(isDay));
  const ofList = (list: number): readonly Row[] => findRows(list, false);
  const daysOf = (list: number): readonly Row[] => findRows(list, true);
  const sumOf = (list: number): Row => daysOf(list)[0] ?? {};
  const [range = {}] = ofList(DAYS);
  return {
    totals: {
      pageviews: readCounts(range),
      visitors: Number(people.visitors ?? 0),
      users: Number(people.users ?? 0),
      sessions: Number(range.sessions ?? 0),
      events: Number(sumOf(NAMES).events ?? 0),
      paths: Number(sumOf(PATHS).labels ?? 0),
      referrers: Number(sumOf(REFERRERS).labels ?? 0),
      names: Number(sumOf(NAMES).labels ?? 0),
      violations: Number(sumOf(VIOLATIONS).labels ?? 0),
    },
    days: daysOf(DAYS).map((row) => ({ day: String(row.day), ...readCounts(row), sessions: Number(row.sessions) })),
    paths: ofList(PATHS).map((row) => ({ path: String(row.label), ...readCounts(row) })),
    referrers: ofList(REFERRERS).map((row) => ({ referrer: String(row.label) || null, ...readCounts(row) })),
    events: ofList(NAMES).map((row) => ({ name: String(row.label), count: Number(row.events) })),
    violations: ofList(VIOLATIONS).map(readViolationRow),
  };
}

function readViolationRow({ label, events }: Row): ViolationRow {
  return { ...parseViolation(String(label)), count: Number(events) };
}

async function bindScope({ apiKey, site, from, to, ownOrigins = [] }: ReportScope): Promise<Parameters> {
  return {
    keyHash: await hashKey(apiKey),
    site,
    from: toKnownDay(from),
    to: toKnownDay(to),
    ownOrigins: ownOrigins.join(" "),
  };
}

function toKnownDay(day: string): string {
  if (day < FIRST_DAY) return FIRST_DAY;
  return day > LAST_DAY ? LAST_DAY : day;
}

function readPageviewRow(row: Row): PageviewRow {
  return { day: String(row.day), path: String(row.label), ...readCounts(row) };
}

function readCounts(row: Row): PageviewCounts {
  return sumCounts([{ full: Number(row.full ?? 0), aggregate: Number(row.aggregate ?? 0) }]);
}
