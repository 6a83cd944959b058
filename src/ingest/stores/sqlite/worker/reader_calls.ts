import type { DatabaseSync } from "node:sqlite";
import { describeError } from "../../../platform/describe_error.ts";
import { loadSqlite } from "../sqlite_module.ts";
import { hasRollup, ROLLUP_TABLES } from "../sqlite_rollup.ts";
import { LONG_LOG_BYTES } from "../sqlite_store.ts";
import { measureLog, toWholePath } from "../sqlite_path.ts";
import {
  type DayRow,
  MAX_SITES,
  type PageviewCounts,
  type PageviewRow,
  parseViolation,
  type Report,
  type ReportLimits,
  type ReportScope,
  sumCounts,
} from "../../../ports/reader.ts";
import type { ReaderCalls } from "../sqlite_reader.ts";
import { type TailCalls, type TailRow, type TailRows, toTailName } from "../sqlite_tail.ts";

/** How long a read waits for a process that is recovering the log, in milliseconds. */
const BUSY_TIMEOUT_MS = 2000;

/** How long a read waits for a long log to begin anew, in milliseconds, and between two looks. */
const [LOG_WAIT_MS, LOG_LOOK_MS] = [1000, 20] as const;

// The parameters of all queries: 1 the publishable key, 2 the site, 3 and 4 the first and the last UTC day, 5 the most
// rows of a list.
const { paths, referrers, names, sessions, visitors, users, violations } = ROLLUP_TABLES;

const OF_SITE = "site_id = (SELECT site_id FROM report_sites WHERE api_key = ?1 AND site = ?2)";

const IN_RANGE = `${OF_SITE} AND day BETWEEN ?3 AND ?4`;

const SUMS = "sum(full_count) AS full_count, sum(aggregate_count) AS aggregate_count";

/** Origins that a key has events of, by their number; a sender may make up any number of origins. */
const SITES: string = `
  SELECT site FROM report_sites JOIN ${names} USING (site_id) WHERE api_key = ?1 AND site <> ''
  GROUP BY site_id ORDER BY sum(full_count + aggregate_count) DESC, site LIMIT ${MAX_SITES}
`;

/** Pageviews by day. */
const DAYS: string = `SELECT day, ${SUMS} FROM ${paths} WHERE ${IN_RANGE} GROUP BY day`;

/** Distinct sessions by day. */
const SESSIONS_BY_DAY: string = `SELECT day, count(*) AS sessions FROM ${sessions} WHERE ${IN_RANGE} GROUP BY day`;

/** Distinct sessions of the range. */
const SESSIONS: string = buildDistinct(sessions);

/** Distinct visitors of the range. */
const VISITORS: string = buildDistinct(visitors);

/** Distinct users of the range. */
const USERS: string = buildDistinct(users);

/** Pageviews by path, and the number of paths. */
const PATHS: string = buildTop(paths);

/** Pageviews by referrer, and the number of referrers, without the origins that the parameter 6 lists in JSON. */
const REFERRERS: string = buildTop(referrers, "AND label NOT IN (SELECT value FROM json_each(?6))");

/** Events by name, the number of names, and that of events. */
const NAMES: string = buildTop(names);

/** Events that break the plan by kind and name, and the number of these. */
const VIOLATIONS: string = buildTop(violations);

/** Pageviews of one path, the parameter 5, by day. */
const PATH_BY_DAY: string =
  `SELECT day, label, full_count, aggregate_count FROM ${paths} WHERE ${IN_RANGE} AND label = ?5 ORDER BY day`;

/** Pageviews of one day, the parameter 3, by path. */
const PATHS_OF_DAY: string =
  `SELECT day, label, full_count, aggregate_count FROM ${paths} WHERE ${OF_SITE} AND day = ?3 ORDER BY label`;

/** Day of the newest event: every event has a name. */
const LAST_DAY: string = `SELECT max(day) AS day FROM ${names} WHERE ${OF_SITE}`;

/** Pageviews of a key that arrived in the month that is the parameter 2: the sink's own count for the allowance. */
const PAGEVIEWS_OF_MONTH = "SELECT count FROM pageviews WHERE api_key = ?1 AND month = ?2";

/** Of a key, which is the parameter 1, or of all where that is null. */
const OF_KEY = "(?1 IS NULL OR api_key = ?1)";

/** How far behind the newest event is looked for those of a key that rarely sends. */
const MAX_LOOK_BACK = 100_000;

const NEWEST = "SELECT max(seq) AS seq FROM events";

const TAIL_NEWEST = `
  SELECT seq, id, event FROM events WHERE seq > ?2 AND ${OF_KEY} ORDER BY seq DESC LIMIT ?3
`;

const TAIL_AFTER = `SELECT seq, id, event FROM events WHERE seq > ?2 AND ${OF_KEY} ORDER BY seq LIMIT ?3`;

/** How many events are read at a time, and their most UTF-16 units, but for the last one. */
const [TAIL_EVENTS, TAIL_UNITS] = [1000, 4 * 1024 * 1024] as const;

type Row = Readonly<Record<string, unknown>>;

/** Runs a query and returns its rows. */
type Select = (query: string, ...values: readonly (string | number)[]) => readonly Row[];

/**
 * Creates what the thread of a SQLite reader does. The database is open for one read alone: where its files are replaced,
 * the next read opens the new ones.
 */
export function createReaderCalls(): ReaderCalls & TailCalls {
  return {
    find: (path) => {
      withDatabase(path, () => {});
      return toWholePath(path);
    },
    sites: (path, apiKey) => withDatabase(path, (select) => select(SITES, apiKey).map(({ site }) => String(site))),
    read: (path, scope, limits) => withDatabase(path, (select) => readReport(select, { ...scope, ...limits })),
    readPath: (path, { apiKey, site, from, to }, pagePath) =>
      withDatabase(path, (select) => select(PATH_BY_DAY, apiKey, site, from, to, pagePath).map(readPageviewRow)),
    countPageviews: (path, apiKey, month) =>
      withDatabase(path, (select) => Number(select(PAGEVIEWS_OF_MONTH, apiKey, month)[0]?.count ?? 0)),
    lastDay: (path, { apiKey, site }) =>
      withDatabase(path, (select) => {
        const day = select(LAST_DAY, apiKey, site)[0]?.day;
        return typeof day === "string" ? day : undefined;
      }),
    readDay: (path, { apiKey, site }, day) =>
      withDatabase(path, (select) => select(PATHS_OF_DAY, apiKey, site, day).map(readPageviewRow)),
    tailNewest: (path, apiKey, count) =>
      withDatabase(path, (select, database) => {
        const newest = Number(select(NEWEST)[0]?.seq ?? 0);
        const found = database.prepare(TAIL_NEWEST).iterate(apiKey, newest - MAX_LOOK_BACK, count);
        const { rows, isMore } = readTail(found);
        return { rows: rows.toReversed(), newest, isMore };
      }),
    tailAfter: (path, apiKey, { after, known }) =>
      withDatabase(path, (select, database) => {
        const newest = Number(select(NEWEST)[0]?.seq ?? 0);
        const found = database.prepare(TAIL_AFTER).iterate(apiKey, after, TAIL_EVENTS + known.length);
        return { ...readTail(found, new Set(known)), newest };
      }),
  };
}

function readTail(found: Iterable<Row>, known: ReadonlySet<string> = new Set()): Pick<TailRows, "rows" | "isMore"> {
  const rows: TailRow[] = [];
  let units = 0;
  for (const { seq, id, event } of found) {
    const row = { seq: Number(seq), id: String(id), event: String(event) };
    if (known.has(toTailName(row))) continue;
    rows.push(row);
    units += row.event.length;
    if (units >= TAIL_UNITS) return { rows, isMore: true };
  }
  return { rows, isMore: rows.length >= TAIL_EVENTS };
}

/**
 * Lets a sink begin its log anew, which takes two commits while nobody reads: with a report after the other, the log would
 * grow for ever.
 */
function waitForShortLog(path: string): void {
  const endMs = performance.now() + LOG_WAIT_MS;
  const cell = new Int32Array(new SharedArrayBuffer(4));
  while (isLogLong(path) && performance.now() < endMs) Atomics.wait(cell, 0, 0, LOG_LOOK_MS);
}

function isLogLong(path: string): boolean {
  return measureLog(path) > LONG_LOG_BYTES;
}

function withDatabase<R>(path: string, read: (select: Select, database: DatabaseSync) => R): R {
  const { DatabaseSync } = loadSqlite();
  let database: DatabaseSync | undefined;
  waitForShortLog(path);
  try {
    const opened = new DatabaseSync(path, { readOnly: true });
    database = opened;
    opened.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    if (!hasRollup(opened)) throw new Error("no SQLite sink of this version has opened it yet");
    // One transaction, so that the parts of a report agree with each other while events come in.
    opened.exec("BEGIN");
    return read((query, ...values) => opened.prepare(query).all(...values), opened);
  } catch (cause) {
    throw new Error(`the SQLite database ${JSON.stringify(path)} can't be read: ${describeError(cause)}`, { cause });
  } finally {
    database?.close();
  }
}

function readReport(
  select: Select,
  { apiKey, site, from, to, ownOrigins = [], rows }: ReportScope & ReportLimits,
): Report {
  const scope = [apiKey, site, from, to] as const;
  const days = mergeDays(select(DAYS, ...scope), select(SESSIONS_BY_DAY, ...scope));
  const paths = select(PATHS, ...scope, rows);
  const referrers = select(REFERRERS, ...scope, rows, JSON.stringify(ownOrigins));
  const names = select(NAMES, ...scope, rows);
  const violations = select(VIOLATIONS, ...scope, rows);
  const countDistinct = (query: string): number => Number(select(query, ...scope)[0]?.count ?? 0);
  return {
    totals: {
      pageviews: sumCounts(days),
      visitors: countDistinct(VISITORS),
      users: countDistinct(USERS),
      sessions: countDistinct(SESSIONS),
      events: Number(names[0]?.events ?? 0),
      paths: Number(paths[0]?.labels ?? 0),
      referrers: Number(referrers[0]?.labels ?? 0),
      names: Number(names[0]?.labels ?? 0),
      violations: Number(violations[0]?.labels ?? 0),
    },
    days,
    paths: paths.map((row) => ({ path: String(row.label), ...readCounts(row) })),
    referrers: referrers.map((row) => ({ referrer: String(row.label) || null, ...readCounts(row) })),
    events: names.map((row) => ({ name: String(row.label), count: readCounts(row).total })),
    violations: violations.map((row) => ({ ...parseViolation(String(row.label)), count: readCounts(row).total })),
  };
}

function readPageviewRow(row: Row): PageviewRow {
  return { day: String(row.day), path: String(row.label), ...readCounts(row) };
}

function readCounts(row: Row = {}): PageviewCounts {
  return sumCounts([{ full: Number(row.full_count ?? 0), aggregate: Number(row.aggregate_count ?? 0) }]);
}

// A day may have sessions without pageviews, and the other way round.
function mergeDays(pageviews: readonly Row[], sessions: readonly Row[]): readonly DayRow[] {
  const viewsOf = new Map(pageviews.map((row) => [String(row.day), row]));
  const sessionsOf = new Map(sessions.map((row) => [String(row.day), Number(row.sessions)]));
  const days = [...new Set([...viewsOf.keys(), ...sessionsOf.keys()])].sort();
  return days.map((day) => ({ day, ...readCounts(viewsOf.get(day)), sessions: sessionsOf.get(day) ?? 0 }));
}

// Grouping takes half the time of `count(DISTINCT label)`.
function buildDistinct(table: string): string {
  return `SELECT count(*) AS count FROM (SELECT 1 FROM ${table} WHERE ${IN_RANGE} GROUP BY label)`;
}

// Equal counts come in the order of their labels, so that a report reads the same twice. The sums over all labels
// come with each row: they are at hand before the limit applies, and a query of their own would read all again.
function buildTop(table: string, condition = ""): string {
  return `
    SELECT label, ${SUMS}, count(*) OVER () AS labels, sum(sum(full_count + aggregate_count)) OVER () AS events
    FROM ${table} WHERE ${IN_RANGE} ${condition}
    GROUP BY label ORDER BY sum(full_count + aggregate_count) DESC, label LIMIT ?5
  `;
}
