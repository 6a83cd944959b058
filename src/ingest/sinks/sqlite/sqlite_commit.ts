import { monthOf, PAGEVIEW_NAME } from "../../keys/allowance.ts";
import type { Outcome } from "./group_commit.ts";
import type { ReceivedBatch, StoredEvent, StoreResult } from "../sink.ts";
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
export function commitBatches(
  store: SqliteStore,
  batches: readonly PendingBatch[],
): readonly Outcome<StoreResult>[] {
  const { database } = store;
  // IMMEDIATE takes the write lock at once: a later upgrade could fail halfway when two processes write.
  database.exec("BEGIN IMMEDIATE");
  try {
    const outcomes = batches.map((pending) => storeBatch(store, pending));
    countForReports(store, batches, outcomes);
    database.exec("COMMIT");
    return outcomes;
  } catch (error) {
    tryToRun(store, "ROLLBACK");
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
    // After some errors, a full disk for one, the whole transaction is gone, and the batches before this one as well.
    if (!tryToRun(store, "ROLLBACK TO batch; RELEASE batch")) throw error;
    return { error };
  }
}

function insertEvents(store: SqliteStore, { batch: { apiKey, events }, texts }: PendingBatch): StoreResult {
  const stored = events.filter(({ id }, index) => store.insert.run(apiKey, id, texts[index] ?? "").changes > 0);
  const counts = { accepted: stored.length, duplicates: events.length - stored.length, events: stored };
  const pageviews = stored.filter(({ name }) => name === PAGEVIEW_NAME);
  const [first] = pageviews;
  if (first === undefined) return counts;
  const row = store.addPageviews.get(apiKey, monthOf(first.receivedAt), pageviews.length);
  return { ...counts, pageviewsThisMonth: Number(row?.count) };
}

/** Counts what was stored, once for all batches of a key: they mostly share days, paths and sessions. */
function countForReports(
  { rollup }: SqliteStore,
  batches: readonly PendingBatch[],
  outcomes: readonly Outcome<StoreResult>[],
): void {
  const byKey = new Map<string, StoredEvent[]>();
  for (const [index, { batch: { apiKey } }] of batches.entries()) {
    const outcome = outcomes[index];
    const events = outcome !== undefined && "result" in outcome ? outcome.result.events ?? [] : [];
    const ofKey = byKey.get(apiKey) ?? [];
    byKey.set(apiKey, ofKey);
    for (const event of events) ofKey.push(event);
  }
  for (const [apiKey, events] of byKey) rollup.add(apiKey, events);
}

function tryToRun({ database }: SqliteStore, statement: string): boolean {
  try {
    database.exec(statement);
    return true;
  } catch {
    // There is no transaction any more: SQLite has rolled it back by itself.
    return false;
  }
}
