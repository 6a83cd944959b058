import { createGroups, type Outcome } from "./group_commit.ts";
import type { EventSink, ReceivedBatch, StoredEvent, StoreResult } from "../sink.ts";
import { commitBatches, type PendingBatch } from "./sqlite_commit.ts";
import { loadSqlite } from "./sqlite_module.ts";
import { createProbe, isLocked } from "./sqlite_probe.ts";
import { openStore } from "./sqlite_store.ts";

/** What {@linkcode createSqliteSink} takes. */
export interface SqliteSinkOptions {
  /** Path of the database file, created when missing; its directory must exist. `:memory:` keeps nothing. */
  readonly path: string;
}

/** A sink that keeps events in an embedded SQLite database. */
export interface SqliteSink extends EventSink {
  /** Stores a batch. Those that come at the same time share a transaction; each is stored as a whole or not at all. */
  store(batch: ReceivedBatch): Promise<StoreResult>;
  /** Returns every stored event in the order of arrival. */
  events(): Promise<readonly StoredEvent[]>;
  /** Returns how many pageviews of a key arrived in a month in UTC, `2026-01`. */
  pageviews(apiKey: string, month: string): Promise<number>;
}

/** How long the sink isn't ready after a commit that failed; then it is to be tried anew. */
const FAILURE_MS = 30_000;

/**
 * Opens a database and creates the sink that writes to it. What `store()` resolves to is on the disk. Several
 * processes may use one file. The ids of events are never forgotten.
 *
 * @throws {Error} Where there is no `node:sqlite`, and for a path that can't be written or holds something else.
 */
export function createSqliteSink(options: SqliteSinkOptions): Promise<SqliteSink> {
  return new Promise((resolve) => resolve(openSink(options)));
}

function openSink({ path }: SqliteSinkOptions): SqliteSink {
  const sqlite = loadSqlite();
  const store = openStore(sqlite, path);
  const probe = createProbe(sqlite, path);
  const { database, selectAll, countPageviews } = store;
  const groups = createGroups<PendingBatch, StoreResult>(commit);
  let failure: { readonly error: unknown; readonly reason: string; readonly atMs: number } | undefined;
  let isClosed = false;

  function commit(batches: readonly PendingBatch[]): readonly Outcome<StoreResult>[] {
    try {
      const outcomes = commitBatches(store, batches);
      // Known events are written to no disk.
      if (outcomes.some((outcome) => "result" in outcome && outcome.result.accepted > 0)) failure = undefined;
      return outcomes;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!isLocked(reason)) failure = { error, reason, atMs: performance.now() };
      throw error;
    }
  }

  /** Throws after a commit that failed: only a commit tells that the disk is full. */
  function checkCommits(): void {
    if (failure === undefined || performance.now() - failure.atMs >= FAILURE_MS) return;
    const { error: cause, reason } = failure;
    throw new Error(`the SQLite database couldn't be written: ${reason}`, { cause });
  }

  // The bodies of these promises run at once, and what they throw becomes a rejection.
  return {
    store: (batch) =>
      new Promise((resolve) => {
        if (isClosed) throw new Error("the SQLite sink is closed");
        const texts = batch.events.map((event) => JSON.stringify(event));
        resolve(groups.add({ batch, texts }, batch.events.length));
      }),
    check: async () => {
      if (isClosed) throw new Error("the SQLite sink is closed");
      await probe();
      checkCommits();
    },
    events: () => new Promise((resolve) => resolve(selectAll.all().map(({ event }) => JSON.parse(String(event))))),
    pageviews: (apiKey, month) =>
      new Promise((resolve) => resolve(Number(countPageviews.get(apiKey, month)?.count ?? 0))),
    close: () =>
      new Promise((resolve) => {
        if (!isClosed) {
          isClosed = true;
          groups.flush();
          database.close();
        }
        resolve();
      }),
  };
}
