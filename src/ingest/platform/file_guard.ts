import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { emptyLog } from "./sqlite_lock.ts";

/** Guards the files of an open database: it is used only while they have their names. */
export interface FileGuard<S> {
  /** Does something with it. Throws where its files haven't their names, before or after. */
  use<R>(work: (store: S) => R): R;
  /** Closes it. */
  close(): void;
}

/** What is guarded. */
export interface GuardOptions<S> {
  /** What is used, with its open database. */
  readonly store: S;
  /** Paths of its files, as they are named now. */
  readonly files: readonly string[];
  /** What it is, as errors name it. */
  readonly name: string;
}

/**
 * Guards the files of an open database. SQLite goes on with the files that it has open, whatever becomes of their names. So each
 * use compares them before and afterwards, and nothing is acknowledged that nobody would find again. A database that has lost a
 * file is shut for good; what only its log holds is copied into the file that is open.
 */
export function guardFiles<S extends { readonly database: DatabaseSync }>(
  { store, files, name }: GuardOptions<S>,
): FileGuard<S> {
  const { database } = store;
  const opened = files.map((file) => ({ file, identity: identify(file) }));
  let fault: Error | undefined;
  let isOpen = true;

  /** Throws once a file has lost its name. */
  function look(): void {
    const lost = opened.find(({ file, identity }) => identify(file) !== identity);
    if (lost !== undefined) fault ??= buildFault(name, lost.file);
    if (fault === undefined) return;
    // With a reader in the way it is tried again at the next look.
    if (isOpen && tryToEmptyLog(database)) close();
    throw fault;
  }

  function close(): void {
    database.close();
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
        // A reader keeps SQLite from doing it: who copies the file alone is to have all of it.
        tryToEmptyLog(database);
      } catch {
        // It was told when it was found; here it only matters that the log was copied.
      }
      if (isOpen) close();
    },
  };
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

function buildFault(name: string, path: string): Error {
  return new Error(`${name} can't be written: ${JSON.stringify(path)} was removed or replaced: start the process anew`);
}

/** Copies the log into the file; returns whether all of it is there. */
function tryToEmptyLog(database: DatabaseSync): boolean {
  try {
    return emptyLog(database);
  } catch {
    return false; // a full disk
  }
}
