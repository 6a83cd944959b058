import { closeSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { SqliteModule } from "./sqlite_module.ts";
import { readVersion, SCHEMA_VERSION } from "./sqlite_store.ts";

/** What was done to the files of a database behind the back of its connection. */
export interface FileFault {
  /** Path of the file. */
  readonly path: string;
  /**
   * The connection has files open that nobody else finds (`moved`), has the index of the log alone, and with it its locks
   * (`parted`), its files hold what it didn't write (`overwritten`), or its log is shorter than it was (`shortened`),
   * which SQLite may do in another process.
   */
  readonly kind: "moved" | "parted" | "overwritten" | "shortened";
}

/** Looks at the files; undefined when they are as the connection left them. */
export type Watch = () => FileFault | undefined;

/** A file as it is now. */
interface FileState {
  /** What tells it from another one at the same path. */
  readonly identity: string;
  readonly size: number;
  /** Changes with whatever is written. */
  readonly stamp: string;
}

/** What is watched. */
interface Watched {
  /** Path of the file. */
  readonly path: string;
  /** The connection that has it open. */
  readonly database: DatabaseSync;
}

/** What SQLite says of a file that is garbage from its first byte. */
const NO_DATABASE = /not a database/;

/** First bytes of a log, but for the last bit (SQLite's file format 4.1). */
const LOG_MAGIC = 0x377f0682;

const MAGIC_BYTES = 4;

/** Returns the path of the write-ahead log of a database. */
export function toLogPath(path: string): string {
  return `${toLinkedPath(path)}-wal`;
}

/** SQLite names the log and its index after the file to which a link leads. */
function toLinkedPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // it has gone this moment, or is a URI
  }
}

/**
 * Creates the watch of a database that was opened just now. SQLite wouldn't notice: it goes on with the files that it
 * has open. The file itself is read through SQLite alone, since POSIX takes all locks of a process from a file as soon
 * as the process closes it once (SQLite, "How to corrupt", 2.2).
 */
export function createWatch(sqlite: SqliteModule, { path, database }: Watched): Watch {
  const logPath = toLogPath(path);
  const indexPath = `${toLinkedPath(path)}-shm`;
  const opened = { file: readState(path), log: readState(logPath), index: readState(indexPath) };
  let { file: seen, log: seenLog } = opened;
  let pages = readPages(sqlite, path) ?? 0;

  function isOverwritten(file: FileState): boolean {
    // Only checkpoints write to the file: mostly there is nothing to read.
    if (file.stamp === seen?.stamp) return false;
    const now = readPages(sqlite, path);
    if (now === undefined) return false;
    // It grows, unless somebody has vacuumed it: then the connection has fewer pages than the file had, if more than it
    // has now by what the log holds. Else it is another file, or garbage.
    if (now < pages && (tryToCountPages(database) ?? pages) >= pages) return true;
    pages = now;
    seen = file;
    return false;
  }

  /** Returns whether a process that opens the database now makes an index of its own: both would write, unaware. */
  function isParted(): boolean {
    const index = readState(indexPath);
    return index === undefined || index.identity !== opened.index?.identity;
  }

  return () => {
    const [file, log] = [readState(path), readState(logPath)];
    if (file?.identity !== opened.file?.identity) return { path, kind: "moved" };
    if (log?.identity !== opened.log?.identity) return { path: logPath, kind: "moved" };
    if (log !== undefined && isParted()) return { path: indexPath, kind: "parted" };
    if (file !== undefined && isOverwritten(file)) return { path, kind: "overwritten" };
    if (log === undefined) return undefined;
    if (log.size > 0 && !isLog(logPath)) return { path: logPath, kind: "overwritten" };
    if (log.size < (seenLog?.size ?? 0)) return { path: logPath, kind: "shortened" };
    seenLog = log;
    return undefined;
  };
}

/**
 * Counts the pages of the file itself, past its log and its locks: 0 where it is no database of ours, undefined where
 * that can't be told. Only the first page is read, for another process may be writing the others.
 */
function readPages({ DatabaseSync }: SqliteModule, path: string): number | undefined {
  let database: DatabaseSync | undefined;
  try {
    // On Deno, a URI takes the permission to read every file.
    database = new DatabaseSync(`file:${encodeURIComponent(path)}?immutable=1`, { readOnly: true });
    return readVersion(database) === SCHEMA_VERSION ? countPages(database) : 0;
  } catch (error) {
    return error instanceof Error && NO_DATABASE.test(error.message) ? 0 : undefined;
  } finally {
    database?.close();
  }
}

function tryToCountPages(database: DatabaseSync): number | undefined {
  try {
    return countPages(database);
  } catch {
    return undefined; // what is there now is no database for the connection either
  }
}

function countPages(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA page_count").get()?.page_count);
}

function readState(path: string): FileState | undefined {
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = statSync(path);
    return { identity: `${dev} ${ino}`, size, stamp: `${size} ${mtimeMs} ${ctimeMs}` };
  } catch {
    return undefined; // no such file, or no permission to look
  }
}

function isLog(path: string): boolean {
  try {
    const file = openSync(path, "r");
    try {
      const bytes = new DataView(new ArrayBuffer(MAGIC_BYTES));
      // Another process may have emptied it this moment.
      if (readSync(file, bytes, 0, MAGIC_BYTES, 0) === 0) return true;
      return (bytes.getUint32(0) & ~1) === LOG_MAGIC;
    } finally {
      closeSync(file);
    }
  } catch {
    return true; // it has gone this moment, which the next look tells, or there is no permission to look
  }
}
