import { startThread, type Thread } from "../../threads/thread.ts";
import { loadSqlite } from "../../platform/sqlite_module.ts";
import { readVersion, SCHEMA_VERSION } from "./sqlite_store.ts";

/** What the thread of a backup does. */
export type BackupCalls = {
  /** Copies a database into a file that is there, and empty. */
  readonly backUp: (path: string, copyPath: string) => void;
};

/** Creates what the thread of a backup does. */
export function createBackupCalls(): BackupCalls {
  return {
    backUp: (path, copyPath) => {
      const { DatabaseSync } = loadSqlite();
      const database = new DatabaseSync(path, { readOnly: true });
      try {
        if (readVersion(database) !== SCHEMA_VERSION) {
          throw new Error(`${path} isn't a database of this ingest`);
        }
        database.prepare("VACUUM INTO ?").run(copyPath);
      } finally {
        database.close();
      }
    },
  };
}

/**
 * Copies the database of a SQLite sink while others write to it: what was acknowledged before is in the copy. The copy
 * is a file that is there, and empty: SQLite would make one that everybody may read. A thread of its own does the work,
 * so that a signal is heard meanwhile.
 *
 * @throws {Error} For a file that no SQLite sink made, and a copy that can't be written.
 */
export async function backUpSqlite(path: string, copyPath: string): Promise<void> {
  const thread: Thread<BackupCalls> = startThread();
  try {
    await thread.call("backUp", path, copyPath);
  } finally {
    await thread.end();
  }
}
