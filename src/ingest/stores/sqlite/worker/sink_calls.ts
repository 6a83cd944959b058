import type { DatabaseSync } from "node:sqlite";
import { describeError } from "../../../platform/describe_error.ts";
import { createCorrection } from "../sqlite_correction.ts";
import { commitBatches } from "../sqlite_commit.ts";
import { type FileGuard, openGuarded } from "../sqlite_file_guard.ts";
import { isLocked } from "../../../platform/sqlite_lock.ts";
import { loadSqlite, type SqliteModule } from "../../../platform/sqlite_module.ts";
import type { SinkCalls } from "../sqlite_sink.ts";
import { checkWritable } from "../sqlite_store.ts";
import type { Facts } from "../sqlite_facts.ts";
import { isFile, toWholePath } from "../sqlite_path.ts";

/** How often is looked whether there is something to correct, and whether the files are there. */
const LOOK_EVERY_MS = 500;

/** Between two blocks of a correction, so that batches get in between. */
const CORRECT_EVERY_MS = 25;

/** Between two looks whether facts can be made: while batches come, they wait until so many events have none. */
const FOLLOW_EVERY_MS = 25;

const MOST_WAITING_EVENTS = 20_000;

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
  let commits = 0;

  function find(): Opened {
    if (opened === undefined) throw new Error("the SQLite sink is closed");
    return opened;
  }

  return {
    open: (givenPath) => {
      const path = toWholePath(givenPath);
      const guard = openGuarded(loadSqlite(), path);
      opened = { path, guard, timer: workRegularly(guard, () => commits) };
    },
    commit: (batches) => {
      commits += 1;
      return find().guard.use((store) => commitBatches(store, batches));
    },
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

/**
 * Deletes what a restored backup brought back, a block at a time, and makes facts of what has come: while no batch comes, or
 * once many events wait for it.
 */
function workRegularly(guard: FileGuard, countCommits: () => number): Ticks {
  const correct = createCorrection();
  let correctAtMs = 0;
  let commits = 0;
  let timer: ReturnType<typeof setTimeout>;

  function tick(): void {
    let waitMs = LOOK_EVERY_MS;
    try {
      if (performance.now() >= correctAtMs) {
        const isMore = guard.use(correct);
        if (isMore) waitMs = CORRECT_EVERY_MS;
        correctAtMs = performance.now() + waitMs;
      }
      waitMs = Math.min(waitMs, guard.use(({ facts }) => followSome(facts)));
    } catch {
      // Shut, or locked: whoever stores something is told. Whoever reads is told how far the facts are.
    }
    timer = setTimeout(tick, waitMs);
  }

  /** Returns when to look again, in milliseconds. */
  function followSome({ progress, follow }: Facts): number {
    const isBusy = commits !== countCommits();
    commits = countCommits();
    const { taken, last } = progress();
    if (isBusy && last - taken < MOST_WAITING_EVENTS) return FOLLOW_EVERY_MS;
    return follow() ? 0 : LOOK_EVERY_MS;
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
