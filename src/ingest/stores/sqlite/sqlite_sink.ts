import { describeError } from "../../platform/describe_error.ts";
import { startThread, type Thread } from "../../threads/thread.ts";
import type { ReceivedBatch, StoreResult } from "../../events/received_batch.ts";
import type { StoredEvent } from "../../events/stored_event.ts";
import type { EventSink } from "../../ports/sink.ts";
import { createGroupCommit, type Outcome } from "../group_commit.ts";

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

/** A batch on its way to its commit. Text crosses to a thread faster than objects do. */
export interface PostedBatch {
  /** Publishable key of the sender. */
  readonly apiKey: string;
  /** Its events as JSON, in order. */
  readonly texts: readonly string[];
}

/** What was stored of a batch. */
export interface CommittedBatch {
  /** Places of the events that were stored now. */
  readonly stored: readonly number[];
  /** How many an erasure names; the others were known. */
  readonly erased: number;
  /** See `StoreResult.pageviewsThisMonth`. */
  readonly pageviewsThisMonth?: number;
}

/** What became of a batch: what was stored, or why none of it was. */
export type BatchOutcome = CommittedBatch | { readonly fault: string };

/** What the thread of a SQLite sink does. */
export type SinkCalls = {
  /** Opens the database. Throws for a path that can't be written or holds something else. */
  readonly open: (path: string) => void;
  /** Stores batches in one transaction. Throws when none of them is durable. */
  readonly commit: (batches: readonly PostedBatch[]) => readonly BatchOutcome[];
  /** Rejects when the database can't be written. */
  readonly check: () => Promise<void>;
  /** Returns every event as JSON, in the order of arrival. */
  readonly events: () => readonly string[];
  /** Returns the pageviews of a key and a month. */
  readonly pageviews: (apiKey: string, month: string) => number;
  /** Closes the database. */
  readonly close: () => void;
};

/** How long the sink isn't ready after a commit that failed; then it is to be tried anew. */
const FAILURE_MS = 30_000;

/** Most UTF-16 units of events that wait for their commit. A batch alone is taken whatever it holds. */
const MAX_PENDING_UNITS = 64 * 1024 * 1024;

/** A batch that waits for its commit, with its events as text. */
interface PendingBatch {
  readonly batch: ReceivedBatch;
  readonly texts: readonly string[];
}

/**
 * Opens a database and creates the sink that writes to it, in a thread of its own. What `store()` resolves to is on the
 * disk. Several processes may use one file. The ids of stored events are never forgotten.
 *
 * Once the file of the database or its log was removed or replaced, the sink stores nothing any more and rejects: create
 * another one.
 *
 * @throws {Error} Where there is no `node:sqlite`, and for a path that can't be written or holds something else.
 */
export async function createSqliteSink({ path }: SqliteSinkOptions): Promise<SqliteSink> {
  return await openSqliteSink(path, startThread());
}

/** Opens a database in a thread that was started for it, and is ended with it. */
export async function openSqliteSink(path: string, thread: Thread<SinkCalls>): Promise<SqliteSink> {
  try {
    await thread.call("open", path);
    return createSink(thread);
  } catch (error) {
    await thread.end();
    throw error;
  }
}

function createSink(thread: Thread<SinkCalls>): SqliteSink {
  const groupCommit = createGroupCommit<PendingBatch, StoreResult>(commit);
  let pendingUnits = 0;
  let failure: { readonly reason: string; readonly atMs: number } | undefined;
  let closing: Promise<void> | undefined;

  async function commit(pending: readonly PendingBatch[]): Promise<readonly Outcome<StoreResult>[]> {
    try {
      const posted = pending.map(({ batch: { apiKey }, texts }) => ({ apiKey, texts }));
      const outcomes = await thread.call("commit", posted);
      const results = pending.map(({ batch }, index) => toResult(batch, outcomes[index]));
      // Known events are written to no disk.
      if (results.some((outcome) => "result" in outcome && outcome.result.accepted > 0)) failure = undefined;
      return results;
    } catch (error) {
      const reason = describeError(error);
      if (isFailure(reason)) failure = { reason, atMs: performance.now() };
      throw error;
    }
  }

  /** Throws after a commit that failed: only a commit tells that the disk is full. */
  function checkCommits(): void {
    if (failure === undefined || performance.now() - failure.atMs >= FAILURE_MS) return;
    throw new Error(`the SQLite database couldn't be written: ${failure.reason}`);
  }

  function checkOpen(): void {
    if (closing !== undefined) throw new Error("the SQLite sink is closed");
  }

  async function close(): Promise<void> {
    await groupCommit.drained();
    try {
      await thread.call("close");
    } finally {
      await thread.end();
    }
  }

  return {
    store: async (batch) => {
      checkOpen();
      const texts = batch.events.map((event) => JSON.stringify(event));
      const units = texts.reduce((sum, { length }) => sum + length, 0);
      if (pendingUnits > 0 && pendingUnits + units > MAX_PENDING_UNITS) {
        throw new Error("too many events wait for the SQLite database");
      }
      pendingUnits += units;
      try {
        return await groupCommit.add({ batch, texts }, batch.events.length);
      } finally {
        pendingUnits -= units;
      }
    },
    check: async () => {
      checkOpen();
      await thread.call("check");
      checkCommits();
    },
    events: async () => (await thread.call("events")).map((text) => JSON.parse(text)),
    pageviews: (apiKey, month) => thread.call("pageviews", apiKey, month),
    close: () => closing ??= close(),
  };
}

/** Returns whether a commit failed for a reason of the disk. A lock, or files that aren't ours, are looked at anew. */
function isFailure(reason: string): boolean {
  return !/locked|busy|can't be written/.test(reason);
}

function toResult({ events }: ReceivedBatch, outcome: BatchOutcome | undefined): Outcome<StoreResult> {
  if (outcome === undefined || "fault" in outcome) return { error: new Error(outcome?.fault) };
  const { stored, erased, ...counts } = outcome;
  const newEvents = stored.flatMap((index) => events[index] ?? []);
  const duplicates = events.length - stored.length - erased;
  return {
    result: { accepted: stored.length, duplicates, events: newEvents, ...(erased > 0 && { erased }), ...counts },
  };
}
