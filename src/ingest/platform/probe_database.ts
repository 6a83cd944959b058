import type { DatabaseSync } from "node:sqlite";
import { describeError } from "./describe_error.ts";
import { isLocked } from "./sqlite_lock.ts";
import type { SqliteModule } from "./sqlite_module.ts";

/** How long a probe waits for another process that is writing: as long as a write does, but without blocking. */
const PATIENCE_MS = 2000;

/** Between two attempts. */
const ATTEMPT_WAIT_MS = 50;

/** What is probed. */
export interface Probe {
  readonly path: string;
  /** What it is, as errors name it. */
  readonly name: string;
  /** Throws where an open database can't be written. */
  readonly checkWritable: (database: DatabaseSync) => void;
}

/**
 * Makes sure that a database can be written, and writes nothing. It asks on a connection of its own, which sees the file
 * as it is now: the one that has it open wouldn't notice that it may no longer be written.
 *
 * @throws {Error} When it can't be written, or is kept locked.
 */
export async function probeDatabase(sqlite: SqliteModule, probe: Probe): Promise<void> {
  const deadlineMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const reason = findFault(sqlite, probe);
    if (reason === undefined) return;
    // Under load another process often has the lock: only one that keeps it is a fault.
    if (!isLocked(reason) || performance.now() >= deadlineMs) {
      throw new Error(`${probe.name} can't be written: ${reason}`);
    }
    await new Promise((resolve) => setTimeout(resolve, ATTEMPT_WAIT_MS));
  }
}

function findFault({ DatabaseSync }: SqliteModule, { path, checkWritable }: Probe): string | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    database.exec("PRAGMA busy_timeout = 0");
    checkWritable(database);
  } catch (error) {
    return describeError(error);
  } finally {
    // Closed in the middle of a transaction, it is rolled back.
    database?.close();
  }
}
