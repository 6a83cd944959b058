import { describeError } from "../../platform/describe_error.ts";
import { toOwner } from "../../events/erasures.ts";
import { isPageview, monthOf, type StoredEvent } from "../../events/stored_event.ts";
import type { BatchOutcome, CommittedBatch, PostedBatch } from "./sqlite_sink.ts";
import type { SqliteStore } from "./sqlite_store.ts";
import type { SqliteErasures } from "./sqlite_erasures.ts";
import { runLocked } from "../../platform/sqlite_lock.ts";

type IsErased = ReturnType<SqliteErasures["read"]>;

/**
 * Stores batches in one transaction, which takes one sync of the disk instead of one each. A batch that can't be
 * stored leaves the others alone.
 *
 * @throws What kept the whole transaction from being durable.
 */
export function commitBatches(store: SqliteStore, batches: readonly PostedBatch[]): readonly BatchOutcome[] {
  const { database } = store;
  // IMMEDIATE takes the write lock at once: a later upgrade could fail halfway when two processes write.
  runLocked(database, "BEGIN IMMEDIATE");
  try {
    const isErased = store.erasures.read();
    const outcomes = batches.map((batch) => storeBatch(store, batch, isErased));
    database.exec("COMMIT");
    return outcomes;
  } catch (error) {
    tryToRun(store, "ROLLBACK");
    throw error;
  }
}

function storeBatch(store: SqliteStore, batch: PostedBatch, isErased: IsErased): BatchOutcome {
  store.database.exec("SAVEPOINT batch");
  try {
    const committed = insertEvents(store, batch, isErased);
    store.database.exec("RELEASE batch");
    return committed;
  } catch (error) {
    // After some errors, a full disk for one, the whole transaction is gone, and the batches before this one as well.
    if (!tryToRun(store, "ROLLBACK TO batch; RELEASE batch")) throw error;
    return { fault: describeError(error) };
  }
}

function insertEvents(
  store: SqliteStore,
  { apiKey, texts }: PostedBatch,
  isErased: IsErased,
): CommittedBatch {
  const events: readonly StoredEvent[] = texts.map((text) => JSON.parse(text));
  const keyHash = store.erasures.hashKey(apiKey);
  const kept = [...events.entries()].filter(([, event]) => !isErased(toOwner(keyHash, event)));
  const stored = kept
    .filter(([index, { id }]) => store.insert.run(apiKey, id, texts[index] ?? "").changes > 0)
    .map(([index]) => index);
  const erased = events.length - kept.length;
  const pageviews = stored.flatMap((index) => events[index] ?? []).filter(isPageview);
  const [first] = pageviews;
  if (first === undefined) return { stored, erased };
  const row = store.addPageviews.get(apiKey, monthOf(first.receivedAt), pageviews.length);
  return { stored, erased, pageviewsThisMonth: Number(row?.count) };
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
