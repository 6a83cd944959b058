/** The program of reader_worker.ts. `deno task threads` writes it: change the sources. */
export const READER_PROGRAM: string = `
// src/ingest/threads/serve_calls.ts
import { parentPort } from "node:worker_threads";
function serveCalls(calls) {
  const answer = async ({ id, name, args }) => {
    try {
      return { id, result: await calls[name]?.(...args) };
    } catch (error) {
      return { id, fault: error instanceof Error ? error.message : String(error) };
    }
  };
  parentPort?.on("message", async (request) => parentPort?.postMessage(await answer(request)));
}

// src/ingest/reports/serve_reader.ts
import { statSync as statSync2 } from "node:fs";

// src/ingest/sinks/sqlite/sqlite_module.ts
var NO_SQLITE = "SQLite needs node:sqlite, which Deno has since 2.2 and Node since 22.13";
function loadSqlite({ process } = globalThis) {
  const sqlite = process?.getBuiltinModule?.("node:sqlite");
  if (sqlite === void 0) {
    throw new Error(NO_SQLITE);
  }
  return sqlite;
}

// src/ingest/keys/allowance.ts
var PAGEVIEW_NAME = "$pageview";

// src/ingest/reports/sqlite_rollup.ts
var ROLLUP_TABLES = {
  paths: "report_paths",
  referrers: "report_referrers",
  names: "report_names",
  sessions: "report_sessions"
};
function hasRollup(database) {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'report_sites'").get() !== void 0;
}

// src/ingest/sinks/sqlite/sqlite_store.ts
var SCHEMA_VERSION = 1;
var CHECKPOINT_PAGES = 4e3;
var LOG_BYTES = 2 * CHECKPOINT_PAGES * 4096;
var LONG_LOG_BYTES = 2 * LOG_BYTES;
var SCHEMA = \`
  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    api_key TEXT NOT NULL,
    id TEXT NOT NULL,
    event TEXT NOT NULL,
    name TEXT AS (event ->> '$.name') VIRTUAL,
    collection TEXT AS (event ->> '$.collection') VIRTUAL,
    timestamp TEXT AS (event ->> '$.timestamp') VIRTUAL,
    received_at TEXT AS (event ->> '$.receivedAt') VIRTUAL,
    session_id TEXT AS (event ->> '$.sessionId') VIRTUAL,
    UNIQUE (api_key, id)
  ) STRICT;
  PRAGMA user_version = \${SCHEMA_VERSION};
\`;
var PAGEVIEWS = \`
  CREATE TABLE pageviews (
    api_key TEXT NOT NULL,
    month TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (api_key, month)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO pageviews
    SELECT api_key, substr(received_at, 1, 7) AS month, count(*)
    FROM events WHERE name = '\${PAGEVIEW_NAME}' GROUP BY api_key, month;
\`;

// src/ingest/sinks/sqlite/sqlite_watch.ts
import { closeSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
function toLogPath(path) {
  return \`\${toLinkedPath(path)}-wal\`;
}
function toLinkedPath(path) {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
function toWholePath(path) {
  return isFile(path) ? resolve(path) : path;
}
function isFile(path) {
  return path !== "" && path !== ":memory:" && !path.startsWith("file:");
}

// src/ingest/reports/reader.ts
var MAX_SITES = 1e3;

// src/ingest/reports/sqlite_queries.ts
var { paths, referrers, names, sessions } = ROLLUP_TABLES;
var OF_SITE = "site_id = (SELECT site_id FROM report_sites WHERE api_key = ?1 AND site = ?2)";
var IN_RANGE = \`\${OF_SITE} AND day BETWEEN ?3 AND ?4\`;
var SUMS = "sum(full_count) AS full_count, sum(aggregate_count) AS aggregate_count";
var SITES = \`
  SELECT site FROM report_sites JOIN \${names} USING (site_id) WHERE api_key = ?1 AND site <> ''
  GROUP BY site_id ORDER BY sum(full_count + aggregate_count) DESC, site LIMIT \${MAX_SITES}
\`;
var DAYS = \`SELECT day, \${SUMS} FROM \${paths} WHERE \${IN_RANGE} GROUP BY day\`;
var SESSIONS_BY_DAY = \`SELECT day, count(*) AS sessions FROM \${sessions} WHERE \${IN_RANGE} GROUP BY day\`;
var SESSIONS = \`SELECT count(*) AS sessions FROM (SELECT 1 FROM \${sessions} WHERE \${IN_RANGE} GROUP BY label)\`;
var PATHS = buildTop(paths);
var REFERRERS = buildTop(referrers);
var NAMES = buildTop(names);
var PATH_BY_DAY = \`SELECT day, label, full_count, aggregate_count FROM \${paths} WHERE \${IN_RANGE} AND label = ?5 ORDER BY day\`;
var PATHS_OF_DAY = \`SELECT day, label, full_count, aggregate_count FROM \${paths} WHERE \${OF_SITE} AND day = ?3 ORDER BY label\`;
var PAGEVIEWS_OF_MONTH = "SELECT count FROM pageviews WHERE api_key = ?1 AND month = ?2";
function buildTop(table) {
  return \`
    SELECT label, \${SUMS}, count(*) OVER () AS labels, sum(sum(full_count + aggregate_count)) OVER () AS events
    FROM \${table} WHERE \${IN_RANGE}
    GROUP BY label ORDER BY sum(full_count + aggregate_count) DESC, label LIMIT ?5
  \`;
}

// src/ingest/reports/serve_reader.ts
var BUSY_TIMEOUT_MS = 2e3;
var [LOG_WAIT_MS, LOG_LOOK_MS] = [1e3, 20];
function createReaderCalls() {
  return {
    find: (path) => {
      withDatabase(path, () => {
      });
      return toWholePath(path);
    },
    sites: (path, apiKey) => withDatabase(path, (select) => select(SITES, apiKey).map(({ site }) => String(site))),
    read: (path, scope, limits) => withDatabase(path, (select) => readReport(select, { ...scope, ...limits })),
    readPath: (path, { apiKey, site, from, to }, pagePath) => withDatabase(path, (select) => select(PATH_BY_DAY, apiKey, site, from, to, pagePath).map(readPageviewRow)),
    countPageviews: (path, apiKey, month) => withDatabase(path, (select) => Number(select(PAGEVIEWS_OF_MONTH, apiKey, month)[0]?.count ?? 0)),
    readDay: (path, { apiKey, site }, day) => withDatabase(path, (select) => select(PATHS_OF_DAY, apiKey, site, day).map(readPageviewRow))
  };
}
function waitForShortLog(path) {
  const endMs = performance.now() + LOG_WAIT_MS;
  const cell = new Int32Array(new SharedArrayBuffer(4));
  while (isLogLong(path) && performance.now() < endMs) Atomics.wait(cell, 0, 0, LOG_LOOK_MS);
}
function isLogLong(path) {
  const log = statSync2(toLogPath(path), { throwIfNoEntry: false });
  return log !== void 0 && log.size > LONG_LOG_BYTES;
}
function withDatabase(path, read) {
  const { DatabaseSync } = loadSqlite();
  let database;
  waitForShortLog(path);
  try {
    const opened = new DatabaseSync(path, { readOnly: true });
    database = opened;
    opened.exec(\`PRAGMA busy_timeout = \${BUSY_TIMEOUT_MS}\`);
    if (!hasRollup(opened)) throw new Error("no SQLite sink has opened it yet");
    opened.exec("BEGIN");
    return read((query, ...values) => opened.prepare(query).all(...values));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(\`the SQLite database \${JSON.stringify(path)} can't be read: \${reason}\`, { cause });
  } finally {
    database?.close();
  }
}
function readReport(select, { apiKey, site, from, to, rows }) {
  const scope = [apiKey, site, from, to];
  const days = mergeDays(select(DAYS, ...scope), select(SESSIONS_BY_DAY, ...scope));
  const paths2 = select(PATHS, ...scope, rows);
  const referrers2 = select(REFERRERS, ...scope, rows);
  const names2 = select(NAMES, ...scope, rows);
  return {
    totals: {
      pageviews: sumCounts(days),
      sessions: Number(select(SESSIONS, ...scope)[0]?.sessions ?? 0),
      events: Number(names2[0]?.events ?? 0),
      paths: Number(paths2[0]?.labels ?? 0),
      referrers: Number(referrers2[0]?.labels ?? 0),
      names: Number(names2[0]?.labels ?? 0)
    },
    days,
    paths: paths2.map((row) => ({ path: String(row.label), ...readCounts(row) })),
    referrers: referrers2.map((row) => ({ referrer: String(row.label) || null, ...readCounts(row) })),
    events: names2.map((row) => ({ name: String(row.label), count: readCounts(row).total }))
  };
}
function readPageviewRow(row) {
  return { day: String(row.day), path: String(row.label), ...readCounts(row) };
}
function readCounts(row) {
  const full = Number(row?.full_count ?? 0);
  const aggregate = Number(row?.aggregate_count ?? 0);
  return { full, aggregate, total: full + aggregate };
}
function mergeDays(pageviews, sessions2) {
  const viewsOf = new Map(pageviews.map((row) => [String(row.day), row]));
  const sessionsOf = new Map(sessions2.map((row) => [String(row.day), Number(row.sessions)]));
  const days = [.../* @__PURE__ */ new Set([...viewsOf.keys(), ...sessionsOf.keys()])].sort();
  return days.map((day) => ({ day, ...readCounts(viewsOf.get(day)), sessions: sessionsOf.get(day) ?? 0 }));
}
function sumCounts(rows) {
  const full = rows.reduce((sum, row) => sum + row.full, 0);
  const aggregate = rows.reduce((sum, row) => sum + row.aggregate, 0);
  return { full, aggregate, total: full + aggregate };
}

// src/ingest/reports/reader_worker.ts
serveCalls(createReaderCalls());
`;
