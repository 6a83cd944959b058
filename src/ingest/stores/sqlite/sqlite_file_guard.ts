import { closeSync, openSync, statSync } from "node:fs";
import type { SqliteModule } from "../../platform/sqlite_module.ts";
import { isFile, toLogPath } from "./sqlite_path.ts";
import { openStore, type SqliteStore } from "./sqlite_store.ts";

/** Guards the files of an open database: it is used only while its file and its log have their names. */
export interface FileGuard {
  /** Does something with the database. Throws where its files haven't their names, before or after. */
  use<R>(work: (store: SqliteStore) => R): R;
  /** Closes it. */
  close(): void;
}

/** Mode of a new file. SQLite gives it to the log and its index as well. */
const NEW_FILE_MODE = 0o600;

/**
 * Opens a database, and guards its files. SQLite goes on with the files that it has open, whatever becomes of their names. So
 * each use compares them before and afterwards, and nothing is acknowledged that nobody would find again. A database
 * that has lost a file is shut for good; what only its log holds is copied into the file that is open.
 *
 * @throws {Error} For a path that can't be written or holds something else.
 */
export function openGuarded(sqlite: SqliteModule, path: string): FileGuard {
  if (isFile(path)) createPrivately(path);
  const store = openStore(sqlite, path);
  const opened = isFile(path) ? [path, toLogPath(path)].map((file) => ({ file, identity: identify(file) })) : [];
  let fault: Error | undefined;
  let isOpen = true;

  /** Throws once a file has lost its name. */
  function look(): void {
    const lost = opened.find(({ file, identity }) => identify(file) !== identity);
    if (lost !== undefined) fault ??= buildFault(lost.file);
    if (fault === undefined) return;
    // With a reader in the way it is tried again at the next look.
    if (isOpen && emptyLog(store)) close();
    throw fault;
  }

  function close(): void {
    store.database.close();
    isOpen = false;
  }

  return {
    use: (work) => {
      look();
      try {
        return work(store);
      } finally {
        look(); // whatever came of it, the files are the reason
      }
    },
    close: () => {
      try {
        look();
      } catch {
        // It was told when it was found; here it only matters that the log was copied.
      }
      if (isOpen) close();
    },
  };
}

/** Creates the file where it is missing: what visitors did is for nobody but the user who runs the ingest. */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, "wx", NEW_FILE_MODE));
  } catch {
    // It is there already; or it can't be made, and SQLite says why.
  }
}

/** Returns what tells a file from another one at the same path; undefined for none. */
function identify(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path);
    return `${dev} ${ino}`;
  } catch {
    return undefined; // no such file, or no permission to look
  }
}

function buildFault(path: string): Error {
  const reason = `${JSON.stringify(path)} was removed or replaced: start the process anew`;
  return new Error(`the SQLite database can't be written: ${reason}`);
}

/** Copies the log into the file; returns whether all of it is there. */
function emptyLog({ database }: SqliteStore): boolean {
  try {
    database.exec("PRAGMA busy_timeout = 0");
    return Number(database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy) === 0;
  } catch {
    return false; // a full disk
  }
}
