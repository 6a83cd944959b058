import { loadSqlite, type SqliteDatabase } from "../sinks/sqlite/sqlite_module.ts";
import type { ReportLimits, ReportReader, ReportScope } from "./reader.ts";
import type { DayRow, PageviewCounts, PageviewRow, Report } from "./report.ts";
import { hasRollup } from "./sqlite_rollup.ts";
import * as sql from "./sqlite_queries.ts";

/** What {@linkcode createSqliteReader} takes. */
export interface SqliteReaderOptions {
  /** Path of the database file of a SQLite sink. */
  readonly path: string;
}

/** Reads the reports of a SQLite sink. */
export interface SqliteReader extends ReportReader {
  /** Closes the database. */
  close(): Promise<void>;
}

/** How long a read waits for a process that is recovering the log, in milliseconds. */
const BUSY_TIMEOUT_MS = 2000;

type Row = Readonly<Record<string, unknown>>;

/**
 * Opens the database of a SQLite sink for reading, on a connection of its own: it sees what is committed, by any
 * process, and locks no writer out. A read blocks its thread, as `node:sqlite` does.
 *
 * @throws {Error} Where there is no `node:sqlite`, and for a file that no SQLite sink has opened yet.
 */
export function createSqliteReader(options: SqliteReaderOptions): Promise<SqliteReader> {
  return new Promise((resolve) => resolve(openReader(options.path)));
}

function openReader(path: string): SqliteReader {
  const database = openDatabase(path);
  const select = (query: string): (...values: readonly (string | number)[]) => readonly Row[] => {
    const statement = database.prepare(query);
    return (...values) => statement.all(...values);
  };
  const selectSites = select(sql.SITES);
  const selectDays = select(sql.DAYS);
  const selectSessionsByDay = select(sql.SESSIONS_BY_DAY);
  const selectSessions = select(sql.SESSIONS);
  const selectPaths = select(sql.PATHS);
  const selectReferrers = select(sql.REFERRERS);
  const selectNames = select(sql.NAMES);
  const selectPathByDay = select(sql.PATH_BY_DAY);
  const selectPathsOfDay = select(sql.PATHS_OF_DAY);
  const selectPageviews = select(sql.PAGEVIEWS_OF_MONTH);
  let isClosed = false;

  function readReport({ apiKey, site, from, to }: ReportScope, { rows }: ReportLimits): Report {
    const scope = [apiKey, site, from, to] as const;
    const days = mergeDays(selectDays(...scope), selectSessionsByDay(...scope));
    const paths = selectPaths(...scope, rows);
    const referrers = selectReferrers(...scope, rows);
    const names = selectNames(...scope, rows);
    return {
      totals: {
        pageviews: sumCounts(days),
        sessions: Number(selectSessions(...scope)[0]?.sessions ?? 0),
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

  // The bodies of these promises run at once, and what they throw becomes a rejection.
  return {
    sites: (apiKey) => new Promise((resolve) => resolve(selectSites(apiKey).map(({ site }) => String(site)))),
    read: (scope, limits) =>
      new Promise((resolve) => {
        // One transaction, so that the parts of a report agree with each other while events come in.
        database.exec("BEGIN");
        try {
          resolve(readReport(scope, limits));
        } finally {
          database.exec("COMMIT");
        }
      }),
    readPath: ({ apiKey, site, from, to }, path) =>
      new Promise((resolve) => resolve(selectPathByDay(apiKey, site, from, to, path).map(readPageviewRow))),
    countPageviews: (apiKey, month) =>
      new Promise((resolve) => resolve(Number(selectPageviews(apiKey, month)[0]?.count ?? 0))),
    readDay: ({ apiKey, site }, day) =>
      new Promise((resolve) => resolve(selectPathsOfDay(apiKey, site, day).map(readPageviewRow))),
    close: () =>
      new Promise((resolve) => {
        if (!isClosed) database.close();
        isClosed = true;
        resolve();
      }),
  };
}

function openDatabase(path: string): SqliteDatabase {
  const { DatabaseSync } = loadSqlite();
  let database: SqliteDatabase | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    if (!hasRollup(database)) throw new Error("no SQLite sink has opened it yet");
    return database;
  } catch (cause) {
    database?.close();
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`the SQLite database ${JSON.stringify(path)} can't be read: ${reason}`, { cause });
  }
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
