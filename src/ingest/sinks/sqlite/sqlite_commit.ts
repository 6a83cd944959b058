import { describeError } from "../../describe_error.ts";
import { isPageview, monthOf, type StoredEvent } from "../sink.ts";
import type { BatchOutcome, CommittedBatch, PostedBatch } from "./sqlite_sink.ts";
import type { SqliteStore } from "./sqlite_store.ts";

/** What was stored, and for whom. */
interface NewEvents {
  readonly apiKey: string;
  readonly events: readonly StoredEvent[];
}

/**
 * Stores batches in one transaction, which takes one sync of the disk instead of one each. A batch that can't be
 * stored leaves the others alone.
 *
 * @throws What kept the whole transaction from being durable.
 */
export function commitBatches(store: SqliteStore, batches: readonly PostedBatch[]): readonly BatchOutcome[] {
  const { database } = store;
  const stored: NewEvents[] = [];
  // IMMEDIATE takes the write lock at once: a later upgrade could fail halfway when two processes write.
  database.exec("BEGIN IMMEDIATE");
  try {
    const outcomes = batches.map((batch) => storeBatch(store, batch, stored));
    countForReports(store, stored);
    database.exec("COMMIT");
    return outcomes;
  } catch (error) {
    tryToRun(store, "ROLLBACK");
    throw error;
  }
}

function storeBatch(store: SqliteStore, batch: PostedBatch, stored: NewEvents[]): BatchOutcome {
  store.database.exec("SAVEPOINT batch");
  try {
    const { events, committed } = insertEvents(store, batch);
    store.database.exec("RELEASE batch");
    stored.push({ apiKey: batch.apiKey, events });
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
): { readonly events: readonly StoredEvent[]; readonly committed: CommittedBatch } {
  const events: readonly StoredEvent[] = texts.map((text) => JSON.parse(text));
  const stored = [...events.keys()].filter((index) =>
    store.insert.run(apiKey, events[index]?.id ?? "", texts[index] ?? "").changes > 0
  );
  const newEvents = stored.flatMap((index) => events[index] ?? []);
  const pageviews = newEvents.filter(isPageview);
  const [first] = pageviews;
  if (first === undefined) return { events: newEvents, committed: { stored } };
  const row = store.addPageviews.get(apiKey, monthOf(first.receivedAt), pageviews.length);
  return { events: newEvents, committed: { stored, pageviewsThisMonth: Number(row?.count) } };
}

/** Counts what was stored, once for all batches of a key: they mostly share days, paths and sessions. */
function countForReports({ rollup }: SqliteStore, stored: readonly NewEvents[]): void {
  for (const [apiKey, ofKey] of Map.groupBy(stored, ({ apiKey }) => apiKey)) {
    rollup.add(apiKey, ofKey.flatMap(({ events }) => events));
  }
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
