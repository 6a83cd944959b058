import { closeSync, fsyncSync, openSync, renameSync, unlinkSync } from "node:fs";
import { loadSqlite } from "./sqlite_module.ts";
import { readVersion, SCHEMA_VERSION } from "./sqlite_store.ts";

const COPY_MODE = 0o600;

/**
 * Copies the database of a SQLite sink while others write to it: what was acknowledged before is in the copy. A copy of
 * before gives way only once the new one is whole and on the disk.
 *
 * @throws {Error} For a file that no SQLite sink made, and a copy that can't be written.
 */
export function backUpSqlite(path: string, copyPath: string): void {
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(path, { readOnly: true });
  const newPath = `${copyPath}.new`;
  try {
    if (readVersion(database) !== SCHEMA_VERSION) throw new Error(`${path} isn't a database of this ingest`);
    const file = createNew(newPath);
    try {
      // Into a file that is there and empty: SQLite would make one that everybody may read.
      database.prepare("VACUUM INTO ?").run(newPath);
      fsyncSync(file);
      renameSync(newPath, copyPath);
    } catch (error) {
      unlinkSync(newPath);
      throw error;
    } finally {
      closeSync(file);
    }
  } finally {
    database.close();
  }
}

/** Creates the file that is to take the place of the copy. */
function createNew(path: string): number {
  try {
    return openSync(path, "wx", COPY_MODE);
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause;
    throw new Error(`${path} exists: another backup is under way; remove it if that has ended`, { cause });
  }
}
