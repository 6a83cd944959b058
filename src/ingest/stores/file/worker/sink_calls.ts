import { join, resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { describeError } from "../../../platform/describe_error.ts";
import { isLocked } from "../../../platform/sqlite_lock.ts";
import { loadSqlite, type SqliteModule } from "../../../platform/sqlite_module.ts";
import { type Commit, prepareCommit } from "../commit_batches.ts";
import type { SinkCalls } from "../file_sink.ts";
import { type FolderGuard, openGuarded } from "../folder_guard.ts";
import { checkWritable } from "../folder_store.ts";
import { openKnownIds } from "../known_ids.ts";
import { TAIL_NAME } from "../tail_schema.ts";

/** Milliseconds that a probe waits for another process that is writing, without blocking. */
const PATIENCE_MS = 2000;

/** Between two attempts. */
const ATTEMPT_WAIT_MS = 50;

/** An open folder. */
interface Opened {
  readonly folder: string;
  readonly guard: FolderGuard;
  readonly commit: Commit;
}

/** Creates what the thread of a sink of files does. */
export function createSinkCalls(): SinkCalls {
  let opened: Opened | undefined;

  function find(): Opened {
    if (opened === undefined) throw new Error("the sink of files is closed");
    return opened;
  }

  return {
    fileOpen: (given) => {
      // It stays the same when the process changes its directory.
      const folder = resolve(given);
      const guard = openGuarded(folder);
      const commit = guard.use((store) => {
        const ids = openKnownIds(store);
        ids.load();
        return prepareCommit(store, ids);
      });
      opened = { folder, guard, commit };
      return folder;
    },
    fileCommit: (batches) => {
      const { guard, commit } = find();
      return guard.use(() => commit.run(batches));
    },
    fileCheck: async () => {
      const { folder, guard } = find();
      guard.use(() => {});
      await probe(loadSqlite(), join(folder, TAIL_NAME));
    },
    filePageviews: (keyHash, month) => {
      const { guard, commit } = find();
      return guard.use(() => commit.countPageviews(keyHash, month));
    },
    fileClose: () => {
      const { guard } = find();
      opened = undefined;
      guard.close();
    },
  };
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
      throw new Error(`the folder of events can't be written: ${reason}`);
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
