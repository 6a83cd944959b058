import type { SqliteDatabase, SqliteModule } from "./sqlite_module.ts";
import { checkWritable } from "./sqlite_store.ts";

/** How long a probe waits for another process that is writing: as long as a write does, but without blocking. */
const PATIENCE_MS = 2000;

/** Between two attempts. */
const ATTEMPT_WAIT_MS = 50;

/** Returns whether a database was only kept busy by another process, which says nothing of what comes next. */
export function isLocked(reason: string): boolean {
  return /locked|busy/.test(reason);
}

/**
 * Makes sure that a database can be written, and writes nothing. It asks on a connection of its own, which sees the file
 * as it is now: the one that has it open wouldn't notice that it may no longer be written.
 *
 * @throws {Error} When it can't be written, or is kept locked.
 */
export async function probe(sqlite: SqliteModule, path: string): Promise<void> {
  const deadlineMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const reason = findFault(sqlite, path);
    if (reason === undefined) return;
    // Under load another process often has the lock: only one that keeps it is a fault.
    if (!isLocked(reason) || performance.now() >= deadlineMs) {
      throw new Error(`the SQLite database can't be written: ${reason}`);
    }
    await new Promise((resolve) => setTimeout(resolve, ATTEMPT_WAIT_MS));
  }
}

function findFault({ DatabaseSync }: SqliteModule, path: string): string | undefined {
  let database: SqliteDatabase | undefined;
  try {
    database = new DatabaseSync(path);
    database.exec("PRAGMA busy_timeout = 0");
    checkWritable(database);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    // Closed in the middle of a transaction, it is rolled back.
    database?.close();
  }
}
