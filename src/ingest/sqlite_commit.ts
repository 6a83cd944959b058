import { monthOf, PAGEVIEW_NAME } from "./allowance.ts";
import type { Outcome } from "./group_commit.ts";
import type { ReceivedBatch, StoreResult } from "./sink.ts";
import type { SqliteStore } from "./sqlite_store.ts";

/** A batch that waits for its commit, with its events as text. */
export interface PendingBatch {
  /** The batch. */
  readonly batch: ReceivedBatch;
  /** Its events as JSON, in order. */
  readonly texts: readonly string[];
}

/**
 * Stores batches in one transaction, which takes one sync of the disk instead of one each. A batch that can't be
 * stored leaves the others alone.
 *
 * @throws What kept the whole transaction from being durable.
 */
export function commitBatches(store: SqliteStore, batches: readonly PendingBatch[]): readonly Outcome<StoreResult>[] {
  const { database } = store;
  // IMMEDIATE takes the write lock at once: a later upgrade could fail halfway when two processes write.
  database.exec("BEGIN IMMEDIATE");
  try {
    const outcomes = batches.map((pending) => storeBatch(store, pending));
    database.exec("COMMIT");
    return outcomes;
  } catch (error) {
    rollBack(store, "ROLLBACK");
    throw error;
  }
}

function storeBatch(store: SqliteStore, pending: PendingBatch): Outcome<StoreResult> {
  store.database.exec("SAVEPOINT batch");
  try {
    const result = insertEvents(store, pending);
    store.database.exec("RELEASE batch");
    return { result };
  } catch (error) {
    rollBack(store, "ROLLBACK TO batch; RELEASE batch");
    return { error };
  }
}

function insertEvents(store: SqliteStore, { batch: { apiKey, events }, texts }: PendingBatch): StoreResult {
  const stored = events.filter(({ id }, index) => store.insert.run(apiKey, id, texts[index] ?? "").changes > 0);
  store.rollup.add(apiKey, stored);
  const counts = { accepted: stored.length, duplicates: events.length - stored.length, events: stored };
  const pageviews = stored.filter(({ name }) => name === PAGEVIEW_NAME);
  const [first] = pageviews;
  if (first === undefined) return counts;
  const row = store.addPageviews.get(apiKey, monthOf(first.receivedAt), pageviews.length);
  return { ...counts, pageviewsThisMonth: Number(row?.count) };
}

function rollBack({ database }: SqliteStore, statement: string): void {
  try {
    database.exec(statement);
  } catch {
    // After some errors, a full disk for one, SQLite has rolled all of it back by itself; COMMIT then fails.
  }
}
