import { describeError } from "../../platform/describe_error.ts";
import { toOwner } from "../../events/erasures.ts";
import { isPageview, monthOf, type StoredEvent } from "../../events/stored_event.ts";
import type { BatchOutcome, CommittedBatch, PostedBatch } from "./sqlite_sink.ts";
import type { SqliteStore } from "./sqlite_store.ts";
import type { SqliteErasures } from "./sqlite_erasures.ts";

type IsErased = ReturnType<SqliteErasures["read"]>;

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
    const isErased = store.erasures.read();
    const outcomes = batches.map((batch) => storeBatch(store, batch, { stored, isErased }));
    countForReports(store, stored);
    database.exec("COMMIT");
    return outcomes;
  } catch (error) {
    tryToRun(store, "ROLLBACK");
    throw error;
  }
}

/** What batches of a transaction share. */
interface Shared {
  /** What was stored. */
  readonly stored: NewEvents[];
  /** Whether an erasure names an event. */
  readonly isErased: IsErased;
}

function storeBatch(store: SqliteStore, batch: PostedBatch, { stored, isErased }: Shared): BatchOutcome {
  store.database.exec("SAVEPOINT batch");
  try {
    const { events, committed } = insertEvents(store, batch, isErased);
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
  isErased: IsErased,
): { readonly events: readonly StoredEvent[]; readonly committed: CommittedBatch } {
  const events: readonly StoredEvent[] = texts.map((text) => JSON.parse(text));
  const keyHash = store.erasures.hashKey(apiKey);
  const kept = [...events.entries()].filter(([, event]) => !isErased(toOwner(keyHash, event)));
  const stored = kept
    .filter(([index, { id }]) => store.insert.run(apiKey, id, texts[index] ?? "").changes > 0)
    .map(([index]) => index);
  const erased = events.length - kept.length;
  const newEvents = stored.flatMap((index) => events[index] ?? []);
  const pageviews = newEvents.filter(isPageview);
  const [first] = pageviews;
  if (first === undefined) return { events: newEvents, committed: { stored, erased } };
  const row = store.addPageviews.get(apiKey, monthOf(first.receivedAt), pageviews.length);
  return { events: newEvents, committed: { stored, erased, pageviewsThisMonth: Number(row?.count) } };
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
