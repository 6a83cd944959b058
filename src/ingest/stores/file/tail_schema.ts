import { describeError } from "../../platform/describe_error.ts";
import { inTransaction } from "../../platform/sqlite_lock.ts";
import type { DatabaseSync } from "node:sqlite";

/** Name of the database in a folder of events: what isn't sealed yet, which files there are, and who was erased. */
export const TAIL_NAME = "tail.db" as const;

/** Layout of a folder, in the `user_version` of its database. */
export const LAYOUT_VERSION = 1;

// A row of `batch` has the events of a batch, or of several of a key that came together, a line of JSON each. The place of an
// event is that of its row and its number in it; it never changes, and is given once: where an event was taken out, an empty
// line stays. A file has the events of whole rows, those from one place until another. In one transaction it is registered, and
// the tail begins behind it; the rows that are before that are deleted later, since deleting all of them at once would hold up
// the batches that arrive.
const SCHEMA = `
  CREATE TABLE store (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    seed INTEGER NOT NULL,
    tail_from INTEGER NOT NULL,
    tail_version INTEGER NOT NULL,
    last_number INTEGER NOT NULL,
    last_change INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE batch (
    place INTEGER PRIMARY KEY,
    events INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    key_hash TEXT NOT NULL,
    texts TEXT NOT NULL
  ) STRICT;
  CREATE TABLE file (
    number INTEGER PRIMARY KEY,
    from_place INTEGER NOT NULL,
    until_place INTEGER NOT NULL,
    events INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    version INTEGER NOT NULL,
    removals INTEGER NOT NULL,
    first_received_at INTEGER NOT NULL,
    last_received_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE file_ids (
    number INTEGER PRIMARY KEY,
    hashes BLOB NOT NULL
  ) STRICT;
  CREATE TABLE erasure (
    key_hash TEXT NOT NULL,
    kind TEXT NOT NULL,
    id_hash TEXT NOT NULL,
    erased_at TEXT NOT NULL,
    state TEXT NOT NULL,
    change INTEGER NOT NULL,
    PRIMARY KEY (key_hash, kind, id_hash)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX erasure_by_change ON erasure (change);
  CREATE INDEX erasure_by_time ON erasure (erased_at);
  CREATE INDEX erasure_to_apply ON erasure (state) WHERE state <> 'applied';
  CREATE TABLE pageviews (
    key_hash TEXT NOT NULL,
    month TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (key_hash, month)
  ) STRICT, WITHOUT ROWID;
`;

/** Reads the layout's version: 0 of an empty database. */
export function readLayout(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.user_version);
}

/**
 * Makes the tables of a new database.
 *
 * @param seed Number that the hashes of ids begin with: nobody outside can tell which ids would share one.
 * @throws {Error} Where there are others, and changes nothing.
 */
export function prepareLayout(database: DatabaseSync, seed: number): void {
  if (checkLayout(database)) return;
  inTransaction(database, () => {
    // Another process may have been faster.
    if (checkLayout(database)) return;
    if (hasAnything(database)) throw new Error("it holds something else");
    database.exec(SCHEMA);
    database.prepare("INSERT INTO store VALUES (1, ?, 1, 0, 0, 0)").run(seed);
    database.exec(`PRAGMA user_version = ${LAYOUT_VERSION}`);
  });
}

/**
 * Returns whether a database has the tables of this version.
 *
 * @throws {Error} For a newer version.
 */
export function checkLayout(database: DatabaseSync): boolean {
  const version = readLayout(database);
  if (version > LAYOUT_VERSION) throw new Error(`its layout ${version} is newer than ${LAYOUT_VERSION}`);
  if (version !== 0 && version !== LAYOUT_VERSION) throw new Error(`its layout ${version} isn't ${LAYOUT_VERSION}`);
  return version === LAYOUT_VERSION;
}

/** Builds the error of a folder that can't be used. */
export function buildFolderError(folder: string, cause: unknown): Error {
  return new Error(`the folder of events ${JSON.stringify(folder)} can't be used: ${describeError(cause)}`, { cause });
}

function hasAnything(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE name NOT GLOB 'sqlite_*'").get() !== undefined;
}
