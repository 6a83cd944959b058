import { inTransaction, runLocked } from "../../platform/sqlite_lock.ts";
import type { FolderStore } from "./folder_store.ts";

/** Rows that are deleted at a time: 64 hold a batch up for some 12 ms, all of a file's for 150. */
const DROP_ROWS = 64;

/** The least time between two pieces of work with the lock, so that batches get in between. */
export const PAUSE_MS = 25;

/** Empty pages of 4 KiB that the database keeps, and how many are given back at a time. */
const [FREE_PAGES, SHRINK_PAGES] = [2000, 500] as const;

/** Deletes some batches that are in files. Returns whether there are more. */
export function dropSealed({ database }: FolderStore): boolean {
  const drop = database.prepare(
    "DELETE FROM batch WHERE place IN (SELECT place FROM batch WHERE place < (SELECT tail_from FROM store) ORDER BY place LIMIT ?)",
  );
  return inTransaction(database, () => Number(drop.run(DROP_ROWS).changes)) === DROP_ROWS;
}

/** Gives some of the pages back to the disk that have nothing in them. Returns whether there are more than are kept for the next events. */
export function shrinkTail({ database }: FolderStore): boolean {
  const isLarge = (): boolean => Number(database.prepare("PRAGMA freelist_count").get()?.freelist_count) > FREE_PAGES;
  if (!isLarge()) return false;
  runLocked(database, "BEGIN IMMEDIATE");
  // Each row is a page that went: all of them are to be read.
  database.prepare(`PRAGMA incremental_vacuum(${SHRINK_PAGES})`).all();
  database.exec("COMMIT");
  return isLarge();
}

/** Waits. */
export function wait(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}
