import { describeError } from "../../platform/describe_error.ts";
import { openErasures, type SqliteErasures } from "./sqlite_erasures.ts";
import { type Facts, openFacts } from "./sqlite_facts.ts";
import { FACTS_SCHEMA } from "./sqlite_facts_schema.ts";
import { inTransaction, runLocked } from "../../platform/sqlite_lock.ts";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { SqliteModule } from "../../platform/sqlite_module.ts";

/** An open database of the right layout. */
export interface SqliteStore {
  /** The database. */
  readonly database: DatabaseSync;
  /** Inserts an event of a key: key, id and JSON text. Changes nothing where the id is known. */
  readonly insert: StatementSync;
  /** Adds to the pageviews of a key and a month, and returns their `count`: key, month and how many. */
  readonly addPageviews: StatementSync;
  /** Returns the `count` of the pageviews of a key and a month. */
  readonly countPageviews: StatementSync;
  /** Returns every event, in the order of arrival. */
  readonly selectAll: StatementSync;
  /** What the reports count. */
  readonly facts: Facts;
  /** Records of erasures. */
  readonly erasures: SqliteErasures;
}

/** Layout of the database, in its `user_version`. */
export const SCHEMA_VERSION = 1;

/** How long a write waits for others that write, in milliseconds, unless whoever opens the database says something else. */
const BUSY_TIMEOUT_MS = 2000;

/** Memory for pages, in KiB: the index of random ids is read and written all over. */
const CACHE_KIB = 65_536;

/** Pages of 4 KiB after which the log is copied into the file: the more, the fewer pages are written twice. */
const CHECKPOINT_PAGES = 4000;

/** What a log that was longer is cut to, in bytes, once it begins anew; twice what it has between two checkpoints. */
const LOG_BYTES: number = 2 * CHECKPOINT_PAGES * 4096;

/** A log that is longer couldn't begin anew for a while, since there always was a reader. */
export const LONG_LOG_BYTES: number = 2 * LOG_BYTES;

// One JSON document per event: what comes back is what went in, and a new field needs no new layout. The
// columns computed from it cost nothing until they are read, and can be indexed. The ids of events are never
// forgotten, so that a batch that was on its way for days is still known. The index finds what is old without a look at
// the rest, whatever clock the ingest had. Pageviews are counted by the month of their arrival, for the allowance.
const SCHEMA = `
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
  CREATE INDEX events_by_arrival ON events (received_at);
  CREATE TABLE pageviews (
    api_key TEXT NOT NULL,
    month TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (api_key, month)
  ) STRICT, WITHOUT ROWID;
`;

const INSERT = "INSERT INTO events (api_key, id, event) VALUES (?, ?, ?) ON CONFLICT (api_key, id) DO NOTHING";

const ADD_PAGEVIEWS = `
  INSERT INTO pageviews (api_key, month, count) VALUES (?, ?, ?)
  ON CONFLICT (api_key, month) DO UPDATE SET count = count + excluded.count RETURNING count
`;

const COUNT_PAGEVIEWS = "SELECT count FROM pageviews WHERE api_key = ? AND month = ?";

const SELECT_ALL = "SELECT event FROM events ORDER BY seq";

/**
 * Opens a database, and makes its tables where there are none. Each write waits so many milliseconds for others.
 *
 * @throws {Error} For a path that can't be written or holds something else.
 */
export function openStore(
  { DatabaseSync }: SqliteModule,
  path: string,
  busyTimeoutMs: number = BUSY_TIMEOUT_MS,
): SqliteStore {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    database.exec("PRAGMA secure_delete = ON"); // what is deleted is overwritten
    prepareLayout(database);
    const insert = database.prepare(INSERT); // throws where the tables are another application's, before it changes them
    // FULL syncs the log at every commit: NORMAL could lose acknowledged events with the power.
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    database.exec(`PRAGMA cache_size = -${CACHE_KIB}; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};`);
    database.exec(`PRAGMA journal_size_limit = ${LOG_BYTES}`);
    checkWritable(database);
    return {
      database,
      insert,
      addPageviews: database.prepare(ADD_PAGEVIEWS),
      countPageviews: database.prepare(COUNT_PAGEVIEWS),
      selectAll: database.prepare(SELECT_ALL),
      facts: openFacts(database),
      erasures: openErasures(database, path),
    };
  } catch (cause) {
    database?.close();
    throw new Error(`the SQLite database ${JSON.stringify(path)} can't be used: ${describeError(cause)}`, { cause });
  }
}

/** Reads the layout's version: 0 of an empty database. */
export function readVersion(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.user_version);
}

/** Creates the tables in a new database; throws, and changes nothing, where there are others. */
function prepareLayout(database: DatabaseSync): void {
  const version = readVersion(database);
  if (version > SCHEMA_VERSION) throw new Error(`its layout ${version} is newer than ${SCHEMA_VERSION}`);
  if (version === SCHEMA_VERSION) return;
  inTransaction(database, () => {
    // Another process may have been faster.
    if (readVersion(database) === SCHEMA_VERSION) return;
    // Most applications leave the version alone.
    if (hasAnything(database)) throw new Error("it holds something else");
    database.exec(SCHEMA + FACTS_SCHEMA);
    database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}

/** Throws where the file can't be written. Only a write tells: SQLite opens such a file, and locks it, all the same. */
export function checkWritable(database: DatabaseSync): void {
  runLocked(database, "BEGIN IMMEDIATE");
  database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}; ROLLBACK;`);
}

function hasAnything(database: DatabaseSync): boolean {
  // What SQLite keeps for itself, and Litestream for its copies, is nobody's data.
  const sql = "SELECT 1 FROM sqlite_schema WHERE name NOT GLOB 'sqlite_*' AND name NOT GLOB '_litestream_*'";
  return database.prepare(sql).get() !== undefined;
}
