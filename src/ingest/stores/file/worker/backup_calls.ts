import { closeSync, copyFileSync, fsyncSync, linkSync, openSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { syncDirectory } from "../../../platform/sync_directory.ts";
import type { BackupCalls } from "../file_backup.ts";
import { openReadOnly, toSealedPath } from "../follow_folder.ts";
import { TAIL_NAME } from "../tail_schema.ts";

/** Most attempts, where files are replaced or dropped while they are copied. */
const MAX_ATTEMPTS = 5;

const FILES = "SELECT number, version FROM file ORDER BY number";

/** Mode of the copy of the database. SQLite would make one that everybody may read. */
const MODE = 0o600;

/** Creates what the thread of a backup does. */
export function createBackupCalls(): BackupCalls {
  return {
    fileBackUp(folder, copy) {
      const database = openReadOnly(folder);
      try {
        for (let attempt = 1; !copyOnce({ database, folder, copy }); attempt++) {
          if (attempt === MAX_ATTEMPTS) {
            throw new Error("files of it were replaced all the time: somebody is being erased");
          }
        }
      } finally {
        database.close();
      }
      syncDirectory(copy);
    },
  };
}

/** Copies database and files; returns whether the files were those of the database until the end. */
function copyOnce(
  { database, folder, copy }: { readonly database: DatabaseSync; readonly folder: string; readonly copy: string },
): boolean {
  for (const name of readdirSync(copy)) rmSync(join(copy, name));
  const tail = join(copy, TAIL_NAME);
  closeSync(openSync(tail, "wx", MODE));
  database.prepare("VACUUM INTO ?").run(tail);
  const copied = openReadOnly(copy);
  let files: ReturnType<typeof list>;
  try {
    files = list(copied);
  } finally {
    copied.close();
  }
  for (const { number } of files) {
    const target = toSealedPath(copy, Number(number));
    try {
      linkOrCopy(toSealedPath(folder, Number(number)), target);
    } catch (error) {
      // It was dropped by age meanwhile.
      if ((error as NodeJS.ErrnoException).code === "ENOENT" && !isSame(files, list(database))) return false;
      throw error;
    }
  }
  return isSame(files, list(database));
}

function list(database: DatabaseSync): readonly Readonly<Record<string, unknown>>[] {
  return database.prepare(FILES).all();
}

/** Returns whether each file of a copy is still registered as it was; there may be new ones. */
function isSame(copied: ReturnType<typeof list>, registered: ReturnType<typeof list>): boolean {
  const versions = new Map(registered.map(({ number, version }) => [number, version]));
  return copied.every(({ number, version }) => versions.get(number) === version);
}

function linkOrCopy(path: string, target: string): void {
  try {
    linkSync(path, target);
    return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw error;
  }
  // Another disk, or one that knows no links.
  copyFileSync(path, target);
  const file = openSync(target, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
