import { statSync } from "node:fs";
import { loadSqlite, type SqliteDatabase } from "../sinks/sqlite/sqlite_module.ts";
import { LONG_LOG_BYTES } from "../sinks/sqlite/sqlite_store.ts";
import { toLogPath, toWholePath } from "../sinks/sqlite/sqlite_watch.ts";
import type { ReportLimits, ReportScope } from "./reader.ts";
import type { ReaderCalls } from "./reader_calls.ts";
import type { DayRow, PageviewCounts, PageviewRow, Report } from "./report.ts";
import { hasRollup } from "./sqlite_rollup.ts";
import * as sql from "./sqlite_queries.ts";

/** How long a read waits for a process that is recovering the log, in milliseconds. */
const BUSY_TIMEOUT_MS = 2000;

/** How long a read waits for a long log to begin anew, in milliseconds, and between two looks. */
const [LOG_WAIT_MS, LOG_LOOK_MS] = [1000, 20] as const;

type Row = Readonly<Record<string, unknown>>;

/** Runs a query and returns its rows. */
type Select = (query: string, ...values: readonly (string | number)[]) => readonly Row[];

/**
 * Creates what the thread of a SQLite reader does. The database is open for one read alone: where its files are replaced,
 * a sink waits for everyone to let go of the old ones, and the next read opens the new.
 */
export function createReaderCalls(): ReaderCalls {
  return {
    find: (path) => {
      withDatabase(path, () => {});
      return toWholePath(path);
    },
    sites: (path, apiKey) => withDatabase(path, (select) => select(sql.SITES, apiKey).map(({ site }) => String(site))),
    read: (path, scope, limits) => withDatabase(path, (select) => readReport(select, { ...scope, ...limits })),
    readPath: (path, { apiKey, site, from, to }, pagePath) =>
      withDatabase(path, (select) => select(sql.PATH_BY_DAY, apiKey, site, from, to, pagePath).map(readPageviewRow)),
    countPageviews: (path, apiKey, month) =>
      withDatabase(path, (select) => Number(select(sql.PAGEVIEWS_OF_MONTH, apiKey, month)[0]?.count ?? 0)),
    readDay: (path, { apiKey, site }, day) =>
      withDatabase(path, (select) => select(sql.PATHS_OF_DAY, apiKey, site, day).map(readPageviewRow)),
  };
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
  const log = statSync(toLogPath(path), { throwIfNoEntry: false });
  return log !== undefined && log.size > LONG_LOG_BYTES;
}

function withDatabase<R>(path: string, read: (select: Select) => R): R {
  const { DatabaseSync } = loadSqlite();
  let database: SqliteDatabase | undefined;
  waitForShortLog(path);
  try {
    const opened = new DatabaseSync(path, { readOnly: true });
    database = opened;
    opened.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    if (!hasRollup(opened)) throw new Error("no SQLite sink has opened it yet");
    // One transaction, so that the parts of a report agree with each other while events come in.
    opened.exec("BEGIN");
    return read((query, ...values) => opened.prepare(query).all(...values));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`the SQLite database ${JSON.stringify(path)} can't be read: ${reason}`, { cause });
  } finally {
    database?.close();
  }
}

function readReport(select: Select, { apiKey, site, from, to, rows }: ReportScope & ReportLimits): Report {
  const scope = [apiKey, site, from, to] as const;
  const days = mergeDays(select(sql.DAYS, ...scope), select(sql.SESSIONS_BY_DAY, ...scope));
  const paths = select(sql.PATHS, ...scope, rows);
  const referrers = select(sql.REFERRERS, ...scope, rows);
  const names = select(sql.NAMES, ...scope, rows);
  return {
    totals: {
      pageviews: sumCounts(days),
      sessions: Number(select(sql.SESSIONS, ...scope)[0]?.sessions ?? 0),
      events: Number(names[0]?.events ?? 0),
      paths: Number(paths[0]?.labels ?? 0),
      referrers: Number(referrers[0]?.labels ?? 0),
      names: Number(names[0]?.labels ?? 0),
    },
    days,
    paths: paths.map((row) => ({ path: String(row.label), ...readCounts(row) })),
    referrers: referrers.map((row) => ({ referrer: String(row.label) || null, ...readCounts(row) })),
    events: names.map((row) => ({ name: String(row.label), count: readCounts(row).total })),
  };
}

function readPageviewRow(row: Row): PageviewRow {
  return { day: String(row.day), path: String(row.label), ...readCounts(row) };
}

function readCounts(row: Row | undefined): PageviewCounts {
  const full = Number(row?.full_count ?? 0);
  const aggregate = Number(row?.aggregate_count ?? 0);
  return { full, aggregate, total: full + aggregate };
}

// A day may have sessions without pageviews, and the other way round.
function mergeDays(pageviews: readonly Row[], sessions: readonly Row[]): readonly DayRow[] {
  const viewsOf = new Map(pageviews.map((row) => [String(row.day), row]));
  const sessionsOf = new Map(sessions.map((row) => [String(row.day), Number(row.sessions)]));
  const days = [...new Set([...viewsOf.keys(), ...sessionsOf.keys()])].sort();
  return days.map((day) => ({ day, ...readCounts(viewsOf.get(day)), sessions: sessionsOf.get(day) ?? 0 }));
}

function sumCounts(rows: readonly PageviewCounts[]): PageviewCounts {
  const full = rows.reduce((sum, row) => sum + row.full, 0);
  const aggregate = rows.reduce((sum, row) => sum + row.aggregate, 0);
  return { full, aggregate, total: full + aggregate };
}
