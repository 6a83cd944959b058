import { openRollup, type SqliteRollup } from "./reports/sqlite_rollup.ts";
import type { EventSink, ReceivedBatch, StoredEvent, StoreResult } from "./sink.ts";
import { loadSqlite, type SqliteDatabase, type SqliteModule, type SqliteStatement } from "./sqlite_module.ts";

/** What {@linkcode createSqliteSink} takes. */
export interface SqliteSinkOptions {
  /** Path of the database file, created when missing; its directory must exist. `:memory:` keeps nothing. */
  readonly path: string;
}

/** A sink that keeps events in an embedded SQLite database. */
export interface SqliteSink extends EventSink {
  /** Stores a batch in one transaction. */
  store(batch: ReceivedBatch): Promise<StoreResult>;
  /** Returns every stored event in the order of arrival. */
  events(): Promise<readonly StoredEvent[]>;
}

/** Layout of the database, in its `user_version`. */
const SCHEMA_VERSION = 1;

/** How long a write waits for another process that is writing, in milliseconds. */
const BUSY_TIMEOUT_MS = 2000;

// One JSON document per event: what comes back is what went in, and a new field needs no new layout. The
// columns computed from it cost nothing until they are read, and can be indexed. The ids of events are never
// forgotten, so that a batch that was on its way for days is still known (CONTRACT 28).
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
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

const INSERT = "INSERT INTO events (api_key, id, event) VALUES (?, ?, ?) ON CONFLICT (api_key, id) DO NOTHING";

const SELECT_ALL = "SELECT event FROM events ORDER BY seq";

/** An open database of the right layout. */
interface Store {
  readonly database: SqliteDatabase;
  readonly insert: SqliteStatement;
  readonly selectAll: SqliteStatement;
  readonly rollup: SqliteRollup;
}

/**
 * Opens a database and creates the sink that writes to it. Each `store()` is one transaction, and on the disk
 * when it resolves. Several processes may use one file.
 *
 * @throws {Error} Where there is no `node:sqlite`, and for a path that can't be written or holds something else.
 */
export function createSqliteSink(options: SqliteSinkOptions): Promise<SqliteSink> {
  return new Promise((resolve) => resolve(openSink(options)));
}

function openSink(options: SqliteSinkOptions): SqliteSink {
  const { database, insert, selectAll, rollup } = openStore(loadSqlite(), options.path);
  let isClosed = false;

  function storeAll(apiKey: string, events: readonly StoredEvent[]): readonly StoredEvent[] {
    // IMMEDIATE takes the write lock at once: a later upgrade could fail halfway when two processes write.
    database.exec("BEGIN IMMEDIATE");
    try {
      const accepted = events.filter((event) => insert.run(apiKey, event.id, JSON.stringify(event)).changes > 0);
      rollup.add(apiKey, accepted);
      database.exec("COMMIT");
      return accepted;
    } catch (error) {
      rollBack(database);
      throw error;
    }
  }

  // The bodies of these promises run at once, and what they throw becomes a rejection.
  return {
    store: ({ apiKey, events }) =>
      new Promise((resolve) => {
        const accepted = storeAll(apiKey, events);
        resolve({ accepted: accepted.length, duplicates: events.length - accepted.length, events: accepted });
      }),
    check: () =>
      new Promise((resolve) => {
        readVersion(database);
        resolve();
      }),
    events: () => new Promise((resolve) => resolve(selectAll.all().map(({ event }) => JSON.parse(String(event))))),
    close: () =>
      new Promise((resolve) => {
        if (!isClosed) database.close();
        isClosed = true;
        resolve();
      }),
  };
}

function openStore({ DatabaseSync }: SqliteModule, path: string): Store {
  let database: SqliteDatabase | undefined;
  try {
    database = new DatabaseSync(path);
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    prepareLayout(database);
    // FULL syncs the log at every commit: NORMAL could lose acknowledged events with the power.
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    return {
      database,
      insert: database.prepare(INSERT),
      selectAll: database.prepare(SELECT_ALL),
      rollup: openRollup(database),
    };
  } catch (cause) {
    database?.close();
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`the SQLite database ${JSON.stringify(path)} can't be used: ${reason}`, { cause });
  }
}

/** Creates the table in a new database; throws, and changes nothing, where there is another one. */
function prepareLayout(database: SqliteDatabase): void {
  const version = readVersion(database);
  if (version > SCHEMA_VERSION) throw new Error(`its layout ${version} is newer than ${SCHEMA_VERSION}`);
  if (version === SCHEMA_VERSION) return;
  database.exec("BEGIN IMMEDIATE");
  // Another process may have been faster.
  if (readVersion(database) === 0) database.exec(SCHEMA);
  database.exec("COMMIT");
}

function readVersion(database: SqliteDatabase): number {
  return Number(database.prepare("PRAGMA user_version").get()?.user_version);
}

function rollBack(database: SqliteDatabase): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // After some errors, a full disk for one, SQLite has rolled back by itself.
  }
}
