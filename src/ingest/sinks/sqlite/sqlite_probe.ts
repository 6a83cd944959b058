import type { SqliteDatabase, SqliteModule } from "./sqlite_module.ts";
import { checkWritable, readVersion } from "./sqlite_store.ts";

/** How long a probe waits for another process that is writing: as long as a write does, but without blocking. */
const PATIENCE_MS = 2000;

/** Between two attempts. */
const ATTEMPT_WAIT_MS = 50;

/** The part of `node:fs` in use. */
interface FileSystem {
  readonly statSync: (path: string) => { readonly dev: number; readonly ino: number };
}

interface Runtime {
  readonly process?: { readonly getBuiltinModule?: (id: string) => FileSystem | undefined };
}

/** Returns whether a database was only kept busy by another process, which says nothing of what comes next. */
export function isLocked(reason: string): boolean {
  return /locked|busy/.test(reason);
}

/** Resolves when a database can be written, and writes nothing. Rejects when it can't, or is kept locked. */
export type Probe = () => Promise<void>;

/**
 * Creates the probe of a database that was opened just now. It asks on a connection of its own, which sees the file as
 * it is then: the one that has it open wouldn't notice that it was removed or replaced, or may no longer be written.
 */
export function createProbe(sqlite: SqliteModule, path: string): Probe {
  // A database in memory is its connection's own. What a URI opens is its own matter, too.
  if (path === "" || path === ":memory:" || path.startsWith("file:")) return () => Promise.resolve();
  const opened = identify(path);
  return async () => {
    const deadlineMs = performance.now() + PATIENCE_MS;
    for (;;) {
      // First, since SQLite would make a file that is missing.
      const fault = identify(path) === opened ? findFault(sqlite, path) : "its file was removed or replaced";
      if (fault === undefined) return;
      const reason = fault instanceof Error ? fault.message : String(fault);
      // Under load another process often has the lock: only one that keeps it is a fault.
      if (!isLocked(reason) || performance.now() >= deadlineMs) {
        throw new Error(`the SQLite database can't be written: ${reason}`, { cause: fault });
      }
      await new Promise((resolve) => setTimeout(resolve, ATTEMPT_WAIT_MS));
    }
  };
}

/** Returns what tells a file from another one at the same path; undefined where there is none. */
function identify(path: string): string | undefined {
  try {
    const file = (globalThis as Runtime).process?.getBuiltinModule?.("node:fs")?.statSync(path);
    return file && `${file.dev} ${file.ino}`;
  } catch {
    return undefined; // no such file, or no permission to look
  }
}

function findFault({ DatabaseSync }: SqliteModule, path: string): unknown {
  let database: SqliteDatabase | undefined;
  try {
    database = new DatabaseSync(path);
    database.exec("PRAGMA busy_timeout = 0");
    if (readVersion(database) === 0) return new Error("it is empty");
    checkWritable(database);
  } catch (error) {
    return error;
  } finally {
    // Closed in the middle of a transaction, it is rolled back.
    database?.close();
  }
}
