import type { ReceivedBatch, StoreResult } from "../../events/received_batch.ts";
import { isPageview, type StoredEvent } from "../../events/stored_event.ts";
import { describeError } from "../../platform/describe_error.ts";
import { hashKey } from "../../platform/digest.ts";
import type { EventSink } from "../../ports/sink.ts";
import { startThread, type Thread } from "../../threads/thread.ts";
import { FILE_EVENTS } from "./file_events.ts";
import { createGroupCommit, type Outcome } from "../group_commit.ts";

/** What {@linkcode createFileSink} takes. */
export interface FileSinkOptions {
  /** Path of the folder, made when it's missing; the folder that it lies in must exist. */
  readonly path: string;
  /** Takes what goes wrong beside the storing of batches: events that couldn't be sealed, a file that is damaged. */
  readonly onError?: (error: unknown) => void;
}

/** A sink that keeps events in a folder. */
export interface FileSink extends EventSink {
  /** Stores a batch. Those that come at the same time share a transaction; each is stored as a whole or not at all. */
  store(batch: ReceivedBatch): Promise<StoreResult>;
  /** Returns every stored event in the order of arrival. */
  events(): Promise<readonly StoredEvent[]>;
  /** Returns how many pageviews of a key arrived in a month in UTC, `2026-01`. */
  pageviews(apiKey: string, month: string): Promise<number>;
}

/** A batch on its way to its commit. Text crosses to a thread faster than objects do. */
export interface PostedBatch {
  /** First 32 hexadecimal digits of the SHA-256 of the publishable key. */
  readonly keyHash: string;
  /** Ids of its events, in order. */
  readonly ids: readonly string[];
  /** Its events as JSON, a line each. */
  readonly texts: string;
  /** Places of its pageviews. */
  readonly pageviews: readonly number[];
  /** Time of its arrival, in milliseconds since the Unix epoch. */
  readonly receivedAtMs: number;
  /** Time before which none of its events was captured or arrived, in milliseconds since the Unix epoch. */
  readonly earliestMs: number;
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

/** What the thread of a sink of files does. */
export type SinkCalls = {
  /** Opens the folder, and returns its whole path. Throws for one that can't be written or holds something else. */
  readonly fileOpen: (folder: string) => string;
  /** Stores batches in one transaction. Throws when none of them is durable. */
  readonly fileCommit: (batches: readonly PostedBatch[]) => readonly CommittedBatch[];
  /** Rejects when the folder can't be written. */
  readonly fileCheck: () => Promise<void>;
  /** Returns the pageviews of a key and a month. */
  readonly filePageviews: (keyHash: string, month: string) => number;
  /** Closes the folder. */
  readonly fileClose: () => void;
};

/** What the thread of a folder's upkeep does. */
export type UpkeepCalls = {
  /** Opens the folder, and begins. A file has so many events at most. */
  readonly upkeepOpen: (folder: string, fileEvents: number) => void;
  /** Does what there is to do now, and not only when it is looked at next. */
  readonly upkeepRun: () => Promise<void>;
  /** Returns what went wrong since the last call. */
  readonly upkeepFault: () => string | undefined;
  /** Returns every event as JSON, in the order of arrival. */
  readonly upkeepEvents: () => Promise<readonly string[]>;
  /** Ends what is under way, and closes the folder. */
  readonly upkeepClose: () => Promise<void>;
};

/** The threads of a sink: sealing takes seconds, and batches aren't to wait for it. */
export interface FileSinkThreads {
  /** Stores batches. */
  readonly store: Thread<SinkCalls>;
  /** Seals them. */
  readonly upkeep: Thread<UpkeepCalls>;
}

/** How long the sink isn't ready after a commit that failed; then it is to be tried anew. */
const FAILURE_MS = 30_000;

/** Most UTF-16 units of events that wait for their commit. A batch alone is taken whatever it holds. */
const MAX_PENDING_UNITS = 64 * 1024 * 1024;

/** A batch that waits for its commit. */
interface PendingBatch {
  readonly batch: ReceivedBatch;
  readonly posted: PostedBatch;
}

/**
 * Opens a folder and creates the sink that keeps events in it, in threads of its own. What `store()` resolves to is on the
 * disk. New events lie in a database, `tail.db`; as soon as there are 65,536, and once a day, they are sealed into a Parquet
 * file. An event is stored once per key and id for as long as it is kept, or for 30 days where there are more than 20,000,000.
 * Several processes may use one folder.
 *
 * Once the database or its log was removed or replaced, the sink stores nothing any more and rejects: create another one.
 *
 * @throws {Error} Where there is no `node:sqlite`, and for a folder that can't be written or holds something else.
 */
export async function createFileSink(options: FileSinkOptions): Promise<FileSink> {
  return await openFileSink(options, { store: startThread(), upkeep: startThread() });
}

/** Opens a folder in threads that were started for it, and are ended with it. A file has `fileEvents` at most. */
export async function openFileSink(
  { path, onError = () => {}, fileEvents = FILE_EVENTS }: FileSinkOptions & { readonly fileEvents?: number },
  { store, upkeep }: FileSinkThreads,
): Promise<FileSink> {
  try {
    const folder = await store.call("fileOpen", path);
    await upkeep.call("upkeepOpen", folder, fileEvents);
    return createSink({ store, upkeep }, { onError, fileEvents });
  } catch (error) {
    await Promise.all([store.end(), upkeep.end()]);
    throw error;
  }
}

function createSink(
  { store, upkeep }: FileSinkThreads,
  { onError, fileEvents }: { readonly onError: (error: unknown) => void; readonly fileEvents: number },
): FileSink {
  const groupCommit = createGroupCommit<PendingBatch, StoreResult>(commit);
  let [pendingUnits, unsealed] = [0, 0];
  let failure: { readonly reason: string; readonly atMs: number } | undefined;
  let closing: Promise<void> | undefined;
  const underWay = new Set<Promise<StoreResult>>();

  async function commit(pending: readonly PendingBatch[]): Promise<readonly Outcome<StoreResult>[]> {
    try {
      const committed = await store.call("fileCommit", pending.map(({ posted }) => posted));
      // Known events are written to no disk.
      if (committed.some(({ stored }) => stored.length > 0)) failure = undefined;
      for (const { stored } of committed) unsealed += stored.length;
      if (unsealed >= fileEvents) startSealing();
      return pending.map(({ batch }, index) => toResult(batch, committed[index]));
    } catch (error) {
      const reason = describeError(error);
      if (isFailure(reason)) failure = { reason, atMs: performance.now() };
      throw error;
    }
  }

  /** The upkeep looks by itself, but not that often. */
  function startSealing(): void {
    unsealed = 0;
    upkeep.call("upkeepRun").catch(onError);
  }

  /** Throws after a commit that failed: only a commit tells that the disk is full. */
  function checkCommits(): void {
    if (failure === undefined || performance.now() - failure.atMs >= FAILURE_MS) return;
    throw new Error(`the folder of events couldn't be written: ${failure.reason}`);
  }

  function checkOpen(): void {
    if (closing !== undefined) throw new Error("the sink of files is closed");
  }

  async function close(): Promise<void> {
    await Promise.allSettled(underWay);
    try {
      await store.call("fileClose");
      await upkeep.call("upkeepClose");
    } finally {
      await Promise.all([store.end(), upkeep.end()]);
    }
  }

  async function add(batch: ReceivedBatch): Promise<StoreResult> {
    const posted = await post(batch);
    const units = posted.texts.length;
    if (pendingUnits > 0 && pendingUnits + units > MAX_PENDING_UNITS) {
      throw new Error("too many events wait to be stored");
    }
    pendingUnits += units;
    try {
      return await groupCommit.add({ batch, posted }, batch.events.length);
    } finally {
      pendingUnits -= units;
    }
  }

  return {
    store: async (batch) => {
      checkOpen();
      const adding = add(batch);
      underWay.add(adding);
      try {
        return await adding;
      } finally {
        underWay.delete(adding);
      }
    },
    check: async () => {
      checkOpen();
      const fault = await upkeep.call("upkeepFault");
      if (fault !== undefined) onError(new Error(fault));
      await store.call("fileCheck");
      checkCommits();
    },
    events: async () => (await upkeep.call("upkeepEvents")).map((text) => JSON.parse(text)),
    pageviews: async (apiKey, month) => await store.call("filePageviews", await hashKey(apiKey), month),
    close: () => closing ??= close(),
  };
}

async function post({ apiKey, events }: ReceivedBatch): Promise<PostedBatch> {
  const pageviews: number[] = [];
  let [earliestMs, receivedAtMs] = [Infinity, -Infinity];
  for (const [index, event] of events.entries()) {
    const arrivedMs = Date.parse(event.receivedAt);
    if (isPageview(event)) pageviews.push(index);
    earliestMs = Math.min(earliestMs, arrivedMs, Date.parse(event.timestamp));
    receivedAtMs = Math.max(receivedAtMs, arrivedMs);
  }
  return {
    keyHash: await hashKey(apiKey),
    ids: events.map(({ id }) => id),
    texts: events.map((event) => JSON.stringify(event)).join("\n"),
    pageviews,
    receivedAtMs,
    earliestMs,
  };
}

/** Returns whether a commit failed for a reason of the disk. A lock, or files that aren't ours, are looked at anew. */
function isFailure(reason: string): boolean {
  return !/locked|busy|can't be written/.test(reason);
}

function toResult({ events }: ReceivedBatch, committed: CommittedBatch | undefined): Outcome<StoreResult> {
  if (committed === undefined) return { error: new Error("the thread of the folder answered for too few batches") };
  const { stored, erased, ...counts } = committed;
  const newEvents = stored.length === events.length ? events : stored.flatMap((index) => events[index] ?? []);
  const duplicates = events.length - stored.length - erased;
  return {
    result: { accepted: stored.length, duplicates, events: newEvents, ...(erased > 0 && { erased }), ...counts },
  };
}
