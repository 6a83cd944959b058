import type { DatabaseSync } from "node:sqlite";
import type { StoredEvent } from "../../../events/stored_event.ts";
import { describeError } from "../../../platform/describe_error.ts";
import { loadSqlite } from "../sqlite_module.ts";
import type { ReportQuery } from "../../../ports/report_store.ts";
import { openVisits, readPerson, type SqliteVisits } from "../sqlite_visits.ts";
import { openFacts } from "../sqlite_facts.ts";
import { LONG_LOG_BYTES, readVersion, SCHEMA_VERSION } from "../sqlite_store.ts";
import { measureLog, toWholePath } from "../sqlite_path.ts";
import {
  MAX_SITES,
  type PageviewCounts,
  type PageviewRow,
  parseViolation,
  type Report,
  type ReportLimits,
  type ReportScope,
  sumCounts,
  type ViolationRow,
} from "../../../ports/reader.ts";
import type { ReaderCalls } from "../sqlite_reader.ts";
import { type TailCalls, type TailRow, type TailRows, toTailName } from "../sqlite_tail.ts";

/** How long a read waits for a process that is recovering the log, in milliseconds. */
const BUSY_TIMEOUT_MS = 2000;

/** How long facts are made before an answer. */
const FOLLOW_MS = 1000;

const DAY_MS = 24 * 60 * 60 * 1000;

/** No time of JavaScript is as far from the Unix epoch, in milliseconds. */
const MAX_TIME = 9e15;

/** How long a read waits for a long log to begin anew, in milliseconds, and between two looks. */
const [LOG_WAIT_MS, LOG_LOOK_MS] = [1000, 20] as const;

// The parameters of all queries: 1 the publishable key, 2 the site, 3 and 4 the first time and the end, in milliseconds, 5 the
// most rows of a list.
const OF_SITE = "scope = (SELECT id FROM fact_scopes WHERE api_key = ?1 AND site = ?2)";

const IN_RANGE = `${OF_SITE} AND time >= ?3 AND time < ?4`;

const IS_VIEW = "kind <= 1";

const SUMS = "sum(kind = 1) AS full_count, sum(kind = 0) AS aggregate_count";

/** Days since the Unix epoch: the division rounds towards it, and times may be before it. */
const DAY = `(time - ((time % ${DAY_MS}) + ${DAY_MS}) % ${DAY_MS}) / ${DAY_MS}`;

/** Origins that a key has events of, by their number; a sender may make up any number of origins. */
const SITES: string = `
  SELECT site FROM fact_scopes WHERE api_key = ?1 AND site <> '' AND events > 0
  ORDER BY events DESC, site LIMIT ${MAX_SITES}
`;

/** Pageviews and sessions by day. */
const DAYS: string = `
  SELECT ${DAY} AS day, ${SUMS}, count(DISTINCT visit) AS sessions FROM facts WHERE ${IN_RANGE}
  GROUP BY 1 HAVING sum(${IS_VIEW}) > 0 OR sessions > 0 ORDER BY 1
`;

/** What is distinct in the range. */
const TOTALS: string = `
  SELECT count(*) AS events, count(DISTINCT visit) AS sessions, count(DISTINCT visitor) AS visitors,
    count(DISTINCT user) AS users
  FROM facts WHERE ${IN_RANGE}
`;

/** Pageviews by path, and the number of paths. */
const PATHS: string = buildTop("path", { condition: IS_VIEW });

/** Pageviews by referrer, and the number of referrers, without the origins that the parameter 6 lists in JSON. */
const REFERRERS: string = `
  SELECT coalesce(fact_sources.referrer, '') AS label, sum(full_count) AS full_count,
    sum(aggregate_count) AS aggregate_count, count(*) OVER () AS labels
  FROM (SELECT source, ${SUMS} FROM facts WHERE ${IN_RANGE} AND ${IS_VIEW} AND is_arrival = 1 GROUP BY source) AS counts
  LEFT JOIN fact_sources ON fact_sources.id = counts.source
  WHERE label NOT IN (SELECT value FROM json_each(?6))
  GROUP BY label ORDER BY sum(full_count + aggregate_count) DESC, label LIMIT ?5
`;

/** Events by name, and the number of names. */
const NAMES: string = buildTop("name", {});

/** Events that break the plan by kind and name, and the number of these. */
const VIOLATIONS: string = buildTop("violation", { condition: "violation IS NOT NULL" });

/** Pageviews of one path, the parameter 5, by day. */
const PATH_BY_DAY: string = `
  SELECT ${DAY} AS day, ?5 AS label, ${SUMS} FROM facts
  WHERE ${IN_RANGE} AND ${IS_VIEW} AND path = (SELECT id FROM fact_texts WHERE text = ?5) GROUP BY 1 ORDER BY 1
`;

/** Pageviews of one day by path. */
const PATHS_OF_DAY: string = `
  SELECT ${DAY} AS day, fact_texts.text AS label, ${SUMS} FROM facts JOIN fact_texts ON fact_texts.id = path
  WHERE ${IN_RANGE} AND ${IS_VIEW} GROUP BY 2 ORDER BY 2
`;

/** Time of the newest event. */
const LAST_TIME: string = `SELECT max(time) AS time FROM facts WHERE ${OF_SITE}`;

/** Pageviews of a key that arrived in the month that is the parameter 2: the sink's own count for the allowance. */
const PAGEVIEWS_OF_MONTH = "SELECT count FROM pageviews WHERE api_key = ?1 AND month = ?2";

/** Of a key, which is the parameter 1, or of all where that is null. */
const OF_KEY = "(?1 IS NULL OR api_key = ?1)";

/** How far behind the newest event is looked for those of a key that rarely sends. */
const MAX_LOOK_BACK = 100_000;

const NEWEST = "SELECT max(seq) AS seq FROM events";

const PROGRESS = "SELECT (SELECT seq FROM facts_mark) AS taken, (SELECT max(seq) FROM events) AS last";

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
    violations: (path, { apiKey, site, from, to }, { rows }) =>
      withDatabase(
        path,
        (select) => select(VIOLATIONS, apiKey, site, ...toTimes(from, to), rows).map(readViolationRow),
      ),
    readPath: (path, { apiKey, site, from, to }, pagePath) =>
      withDatabase(
        path,
        (select) => select(PATH_BY_DAY, apiKey, site, ...toTimes(from, to), pagePath).map(readPageviewRow),
      ),
    countPageviews: (path, apiKey, month) =>
      withDatabase(path, (select) => Number(select(PAGEVIEWS_OF_MONTH, apiKey, month)[0]?.count ?? 0)),
    lastDay: (path, { apiKey, site }) =>
      withDatabase(path, (select) => {
        const time = select(LAST_TIME, apiKey, site)[0]?.time;
        return typeof time === "number" ? toDay(time / DAY_MS) : undefined;
      }),
    readDay: (path, { apiKey, site }, day) =>
      withDatabase(path, (select) => select(PATHS_OF_DAY, apiKey, site, ...toTimes(day, day)).map(readPageviewRow)),
    overview: (path, query, bounds) => withVisits(path, query, ({ overview }) => overview(bounds)),
    pages: (path, query, rows) => withVisits(path, query, ({ pages }) => pages(rows)),
    sources: (path, query, by, rows) => withVisits(path, query, ({ sources }) => sources(by, rows)),
    steps: (path, query, rows) => withVisits(path, query, ({ steps }) => steps(rows)),
    stepValues: (path, query, of, rows) => withVisits(path, query, ({ stepValues }) => stepValues(of, rows)),
    funnel: (path, query, funnel) => withVisits(path, query, (visits) => visits.funnel(funnel)),
    retention: (path, query, options) =>
      withVisits(path, { ...query, from: -MAX_TIME, to: MAX_TIME }, ({ retention }) => retention(options)),
    person: (path, of, rows) =>
      withDatabase(
        path,
        (_select, database) => readPerson(database, of, rows).map((text): StoredEvent => JSON.parse(text)),
      ),
    progress: (path) =>
      withDatabase(path, (select) => {
        const [{ taken = 0, last = 0 } = {}] = select(PROGRESS);
        return Number(last) === 0 ? 1 : Number(taken) / Number(last);
      }),
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
    if (readVersion(opened) !== SCHEMA_VERSION) throw new Error("no SQLite sink of this version has opened it yet");
    followNow(path);
    // One transaction, so that the parts of a report agree with each other while events come in.
    opened.exec("BEGIN");
    return read((query, ...values) => opened.prepare(query).all(...values), opened);
  } catch (cause) {
    throw new Error(`the SQLite database ${JSON.stringify(path)} can't be read: ${describeError(cause)}`, { cause });
  } finally {
    database?.close();
  }
}

function withVisits<R>(path: string, query: ReportQuery, read: (visits: SqliteVisits) => R): R {
  return withDatabase(path, (_select, database) => read(openVisits(database, query)));
}

/** Makes facts of what has come since a sink last did, for a while: of a large database that is new to them it takes longer. */
function followNow(path: string): void {
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON`);
    const { follow } = openFacts(database);
    const endMs = performance.now() + FOLLOW_MS;
    while (follow() && performance.now() < endMs);
  } catch (error) {
    // Who may only read sees what the sink has made.
    if (!/readonly|locked|busy/.test(describeError(error))) throw error;
  } finally {
    database.close();
  }
}

function readReport(
  select: Select,
  { apiKey, site, from, to, ownOrigins = [], rows }: ReportScope & ReportLimits,
): Report {
  const scope = [apiKey, site, ...toTimes(from, to)] as const;
  const days = select(DAYS, ...scope)
    .map((row) => ({ day: toDay(Number(row.day)), ...readCounts(row), sessions: Number(row.sessions) }));
  const [totals = {}] = select(TOTALS, ...scope);
  const paths = select(PATHS, ...scope, rows);
  const referrers = select(REFERRERS, ...scope, rows, JSON.stringify(ownOrigins));
  const names = select(NAMES, ...scope, rows);
  const violations = select(VIOLATIONS, ...scope, rows);
  return {
    totals: {
      pageviews: sumCounts(days),
      visitors: Number(totals.visitors),
      users: Number(totals.users),
      sessions: Number(totals.sessions),
      events: Number(totals.events),
      paths: Number(paths[0]?.labels ?? 0),
      referrers: Number(referrers[0]?.labels ?? 0),
      names: Number(names[0]?.labels ?? 0),
      violations: Number(violations[0]?.labels ?? 0),
    },
    days,
    paths: paths.map((row) => ({ path: String(row.label), ...readCounts(row) })),
    referrers: referrers.map((row) => ({ referrer: String(row.label) || null, ...readCounts(row) })),
    events: names.map((row) => ({ name: String(row.label), count: Number(row.count) })),
    violations: violations.map(readViolationRow),
  };
}

function toTimes(from: string, to: string): readonly [number, number] {
  return [Date.parse(from), Date.parse(to) + DAY_MS];
}

function toDay(days: number): string {
  return new Date(Math.floor(days) * DAY_MS).toISOString().slice(0, "2026-01-31".length);
}

function readViolationRow({ label, count }: Row): ViolationRow {
  return { ...parseViolation(String(label)), count: Number(count) };
}

function readPageviewRow(row: Row): PageviewRow {
  return { day: toDay(Number(row.day)), path: String(row.label), ...readCounts(row) };
}

function readCounts(row: Row = {}): PageviewCounts {
  return sumCounts([{ full: Number(row.full_count ?? 0), aggregate: Number(row.aggregate_count ?? 0) }]);
}

// Equal counts come in the order of their labels, so that a report reads the same twice. The sums over all labels
// come with each row: they are at hand before the limit applies, and a query of their own would read all again.
function buildTop(column: string, { condition = "true" }: { readonly condition?: string }): string {
  return `
    SELECT fact_texts.text AS label, full_count, aggregate_count, count, count(*) OVER () AS labels
    FROM (
      SELECT ${column} AS id, ${SUMS}, count(*) AS count FROM facts WHERE ${IN_RANGE} AND ${condition} GROUP BY 1
    ) AS counts JOIN fact_texts USING (id)
    ORDER BY count DESC, label LIMIT ?5
  `;
}
