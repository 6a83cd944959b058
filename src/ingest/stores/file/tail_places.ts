import type { FolderStore } from "./folder_store.ts";

/** Returns how many events the tail has. */
export function countTail({ database }: FolderStore): number {
  const sql = "SELECT coalesce(sum(events), 0) AS events FROM batch WHERE place >= (SELECT tail_from FROM store)";
  return Number(database.prepare(sql).get()?.events);
}

/** Returns the place that the next event gets. */
export function findNext({ database }: Pick<FolderStore, "database">): number {
  const sql = "SELECT max(tail_from, coalesce((SELECT max(place + events) FROM batch), 0)) AS next FROM store";
  return Number(database.prepare(sql).get()?.next);
}
