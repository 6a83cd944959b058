import type { DatabaseSync } from "node:sqlite";
import { describeError } from "../../../platform/describe_error.ts";
import { createCorrection } from "../sqlite_correction.ts";
import { commitBatches } from "../sqlite_commit.ts";
import { type FileGuard, openGuarded } from "../sqlite_file_guard.ts";
import { loadSqlite, type SqliteModule } from "../sqlite_module.ts";
import type { SinkCalls } from "../sqlite_sink.ts";
import { checkWritable } from "../sqlite_store.ts";
import { isFile, toWholePath } from "../sqlite_path.ts";

/** How often is looked whether there is something to correct, and whether the files are there. */
const LOOK_EVERY_MS = 500;

/** Between two blocks of a correction, so that batches get in between. */
const CORRECT_EVERY_MS = 25;

/** How long a probe waits for another process that is writing: as long as a write does, but without blocking. */
const PATIENCE_MS = 2000;

/** Between two attempts. */
const ATTEMPT_WAIT_MS = 50;

/** An open database. */
interface Opened {
  readonly path: string;
  readonly guard: FileGuard;
  readonly timer: Ticks;
}

/** A timer. */
interface Ticks {
  stop(): void;
}

/** Creates what the thread of a SQLite sink does. */
export function createSinkCalls(): SinkCalls {
  let opened: Opened | undefined;

  function find(): Opened {
    if (opened === undefined) throw new Error("the SQLite sink is closed");
    return opened;
  }

  return {
    open: (givenPath) => {
      const path = toWholePath(givenPath);
      const guard = openGuarded(loadSqlite(), path);
      opened = { path, guard, timer: correctRegularly(guard) };
    },
    commit: (batches) => find().guard.use((store) => commitBatches(store, batches)),
    check: async () => {
      const { path, guard } = find();
      guard.use(() => {});
      if (isFile(path)) await probe(loadSqlite(), path);
    },
    events: () => find().guard.use(({ selectAll }) => selectAll.all().map(({ event }) => String(event))),
    pageviews: (apiKey, month) =>
      find().guard.use(({ countPageviews }) => Number(countPageviews.get(apiKey, month)?.count ?? 0)),
    close: () => {
      const { guard, timer } = find();
      timer.stop();
      opened = undefined;
      guard.close();
    },
  };
}

/** Deletes what a restored backup brought back, a block at a time. */
function correctRegularly(guard: FileGuard): Ticks {
  const correct = createCorrection();
  let timer: ReturnType<typeof setTimeout>;

  function tick(): void {
    let isMore = false;
    try {
      isMore = guard.use(correct);
    } catch {
      // Shut, or locked: whoever stores something is told.
    }
    timer = setTimeout(tick, isMore ? CORRECT_EVERY_MS : LOOK_EVERY_MS);
  }

  timer = setTimeout(tick, CORRECT_EVERY_MS);
  return { stop: () => clearTimeout(timer) };
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

/** Returns whether a database was only kept busy by another process, which says nothing of what comes next. */
function isLocked(reason: string): boolean {
  return /locked|busy/.test(reason);
}
