import { randomInt } from "node:crypto";
import { closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { inTransaction, runLocked } from "../../platform/sqlite_lock.ts";
import { loadSqlite } from "../../platform/sqlite_module.ts";
import { type ErasureRecords, openErasureRecords } from "./erasure_records.ts";
import { watchNames } from "./folder_names.ts";
import { openReadOnly } from "./follow_folder.ts";
import { buildFolderError, LAYOUT_VERSION, prepareLayout, TAIL_NAME } from "./tail_schema.ts";

/** A folder of events that is open for writing. */
export interface FolderStore {
  /** Path of the folder. */
  readonly folder: string;
  /** The database of the tail. */
  readonly database: DatabaseSync;
  /** Records of erasures. */
  readonly erasures: ErasureRecords;
  /** Throws once the folder isn't the one that was opened: its database, or the log, was removed or replaced. */
  readonly checkNames: () => void;
}

/** Options of {@linkcode openFolder}. */
export interface OpenOptions {
  /**
   * Whether the folder is made where there is none.
   *
   * @default {false}
   */
  readonly isMade?: boolean;
}

/** Modes of what is made: what visitors did is for nobody but the user who runs the ingest. */
const [FOLDER_MODE, FILE_MODE] = [0o700, 0o600] as const;

/** Milliseconds that each write waits for others that write: a slow disk may take seconds to sync. */
const BUSY_TIMEOUT_MS = 10_000;

/** Memory for pages, in KiB: the tail is small. */
const CACHE_KIB = 16_384;

/** Pages of 4 KiB after which the log is copied into the file: each time, batches wait, and the longer the more it is. */
const CHECKPOINT_PAGES = 1000;

/** Bytes that a longer log is cut to, once it begins anew. */
const LOG_BYTES: number = 4 * CHECKPOINT_PAGES * 4096;

/**
 * Opens a folder of events for writing.
 *
 * @throws {Error} Where there is no `node:sqlite`, and for a folder that can't be written or holds something else.
 */
export function openFolder(folder: string, options: OpenOptions = {}): FolderStore {
  const { isMade = false } = options;
  const { DatabaseSync } = loadSqlite();
  const path = join(folder, TAIL_NAME);
  let database: DatabaseSync | undefined;
  try {
    if (isMade) makePrivately(folder);
    else if (statSync(path, { throwIfNoEntry: false }) === undefined) throw new Error(`there is no ${TAIL_NAME}`);
    database = new DatabaseSync(path);
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    database.exec("PRAGMA secure_delete = ON"); // what is deleted is overwritten
    // Before the first table: pages that are freed can be given back later.
    database.exec("PRAGMA auto_vacuum = INCREMENTAL");
    prepareLayout(database, randomInt(2 ** 32));
    // FULL syncs the log at every commit: NORMAL could lose acknowledged events with the power.
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    database.exec(`PRAGMA cache_size = -${CACHE_KIB}; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};`);
    database.exec(`PRAGMA journal_size_limit = ${LOG_BYTES}`);
    checkWritable(database);
    return { folder, database, erasures: openErasureRecords(database, folder), checkNames: watchNames(folder) };
  } catch (cause) {
    database?.close();
    throw buildFolderError(folder, cause);
  }
}

/**
 * Opens a folder of events for reading alone, also one that can't be written.
 *
 * @throws {Error} Where there is no `node:sqlite`, and for a folder that no sink of files has opened yet.
 */
export function openFolderToRead(folder: string): FolderStore {
  const database = openReadOnly(folder);
  try {
    const erasures = openErasureRecords(database, folder, { isReadOnly: true });
    return { folder, database, erasures, checkNames: watchNames(folder) };
  } catch (cause) {
    database.close();
    throw buildFolderError(folder, cause);
  }
}

/**
 * Changes sealed files and their register, in a transaction.
 *
 * @throws {Error} Once the folder isn't the one that was opened: its files aren't those of this database.
 */
export function changeFiles<R>({ database, checkNames }: FolderStore, change: () => R): R {
  return inTransaction(database, () => {
    checkNames();
    return change();
  });
}

/** Throws where the file can't be written. Only a write tells: SQLite opens such a file, and locks it, all the same. */
export function checkWritable(database: DatabaseSync): void {
  runLocked(database, "BEGIN IMMEDIATE");
  database.exec(`PRAGMA user_version = ${LAYOUT_VERSION}; ROLLBACK;`);
}

/** Makes the folder and its database where they are missing. Its parent has to be there: a name may be mistyped. */
function makePrivately(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) mkdirSync(folder, { mode: FOLDER_MODE });
  const path = join(folder, TAIL_NAME);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) closeSync(openSync(path, "a", FILE_MODE));
}
