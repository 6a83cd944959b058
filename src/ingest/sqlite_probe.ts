import type { SqliteDatabase, SqliteModule } from "./sqlite_module.ts";
import { checkWritable, readVersion } from "./sqlite_store.ts";

/** How long a probe waits for another process that is writing: as long as a write does, but without blocking. */
const PATIENCE_MS = 2000;

/** Between two attempts. */
const ATTEMPT_WAIT_MS = 50;

/**
 * Resolves when the database at a path can be written; writes nothing. It asks on a connection of its own, which sees
 * the file as it is now: the one that has it open wouldn't notice that it was removed, or may no longer be written.
 *
 * @throws {Error} When it can't be written, or another process keeps it locked.
 */
export async function probeWritable(sqlite: SqliteModule, path: string): Promise<void> {
  const deadlineMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const fault = findFault(sqlite, path);
    if (fault === undefined) return;
    const reason = fault instanceof Error ? fault.message : String(fault);
    // Under load another process often has the lock: only one that keeps it is a fault.
    if (!/locked|busy/.test(reason) || performance.now() >= deadlineMs) {
      throw new Error(`the SQLite database can't be written: ${reason}`, { cause: fault });
    }
    await new Promise((resolve) => setTimeout(resolve, ATTEMPT_WAIT_MS));
  }
}

function findFault({ DatabaseSync }: SqliteModule, path: string): unknown {
  let database: SqliteDatabase | undefined;
  try {
    database = new DatabaseSync(toExistingFile(path));
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

/** Names the file as a URI of SQLite: opened as a path, a missing one would be made. */
function toExistingFile(path: string): string {
  if (path.startsWith("file:")) return path;
  const file = /^[a-z]:/i.test(path) ? `///${path.replaceAll("\\", "/")}` : path;
  return `file:${file.replace(/[%?#]/g, encodeURIComponent)}?mode=rw`;
}
