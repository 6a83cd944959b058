import type { ReceivedBatch, StoreResult } from "../../events/received_batch.ts";
import type { StoredEvent } from "../../events/stored_event.ts";
import { describeError } from "../../platform/describe_error.ts";
import { hashKey } from "../../platform/digest.ts";
import type { EventSink } from "../../ports/sink.ts";
import { startThread, type Thread } from "../../threads/thread.ts";
import { FILE_EVENTS } from "./file_events.ts";
import { createGroupCommit, type Outcome } from "../group_commit.ts";
import {
  type CommittedBatches,
  joinBatches,
  type PostedBatches,
  prepareBatch,
  type PreparedBatch,
  splitResult,
  toPosted,
} from "./join_batches.ts";

/** Options of {@linkcode createFileSink}. */
export interface FileSinkOptions {
  /** Path of the folder, made when it's missing; the folder that it lies in must exist. */
  readonly path: string;
  /** Takes what goes wrong beside the storing of batches: events that couldn't be sealed, a file that is damaged. */
  readonly onError?: (error: unknown) => void;
}

/** The result of a batch without events. */
const NOTHING_TO_STORE: StoreResult = { accepted: 0, duplicates: 0, events: [] };

/** A sink that keeps events in a folder. */
export interface FileSink extends EventSink {
  /** Stores a batch. Those that come at the same time share a transaction; each is stored as a whole or not at all. */
  store(batch: ReceivedBatch): Promise<StoreResult>;
  /** Returns every stored event in the order of arrival. */
  events(): Promise<readonly StoredEvent[]>;
  /** Returns how many pageviews of a key arrived in a month in UTC, `2026-01`. */
  pageviews(apiKey: string, month: string): Promise<number>;
}

/** Calls to the thread of a sink of files. */
export type SinkCalls = {
  /** Opens the folder, and returns its whole path. Throws for one that can't be written or holds something else. */
  readonly fileOpen: (folder: string) => string;
  /** Stores batches in one transaction. Throws when none of them is durable. */
  readonly fileCommit: (posted: readonly PostedBatches[]) => readonly CommittedBatches[];
  /** Rejects when the folder can't be written. */
  readonly fileCheck: () => Promise<void>;
  /** Returns the pageviews of a key and a month. */
  readonly filePageviews: (keyHash: string, month: string) => number;
  /** Closes the folder. */
  readonly fileClose: () => void;
};

/** Calls to the thread of a folder's upkeep. */
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

/** Milliseconds that the sink isn't ready after a failed commit; then it is to be tried anew. */
const FAILURE_MS = 30_000;

/** Most UTF-16 units of events that wait for their commit. A batch alone is taken whatever it holds. */
const MAX_PENDING_UNITS = 64 * 1024 * 1024;

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
  const groupCommit = createGroupCommit<PreparedBatch, StoreResult>(commit);
  let [pendingUnits, unsealed] = [0, 0];
  let failure: { readonly reason: string; readonly atMs: number } | undefined;
  let closing: Promise<void> | undefined;

  async function commit(batches: readonly PreparedBatch[]): Promise<readonly Outcome<StoreResult>[]> {
    const joined = joinBatches(batches);
    try {
      const committed = await store.call("fileCommit", joined.map(toPosted));
      const results = new Map(joined.flatMap((one, index) => splitResult(one, committed[index])));
      for (const { accepted } of results.values()) {
        // Known events are written to no disk.
        if (accepted > 0) failure = undefined;
        unsealed += accepted;
      }
      if (unsealed >= fileEvents) startSealing();
      return batches.map((batch) => toOutcome(results.get(batch)));
    } catch (error) {
      const reason = describeError(error);
      if (isFailure(reason)) failure = { reason, atMs: performance.now() };
      throw error;
    } finally {
      for (const { texts } of batches) pendingUnits -= texts.length;
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
    await groupCommit.idle();
    try {
      await store.call("fileClose");
      await upkeep.call("upkeepClose");
    } finally {
      await Promise.all([store.end(), upkeep.end()]);
    }
  }

  return {
    store: async (batch) => {
      checkOpen();
      if (batch.events.length === 0) return NOTHING_TO_STORE;
      const prepared = prepareBatch(batch);
      const units = prepared.texts.length;
      if (pendingUnits > 0 && pendingUnits + units > MAX_PENDING_UNITS) {
        throw new Error("too many events wait to be stored");
      }
      pendingUnits += units;
      return await groupCommit.add(prepared, batch.events.length);
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

/** Returns whether a commit failed for a reason of the disk. A lock, or files that aren't ours, are looked at anew. */
function isFailure(reason: string): boolean {
  return !/locked|busy|can't be written/.test(reason);
}

function toOutcome(result: StoreResult | undefined): Outcome<StoreResult> {
  return result === undefined
    ? { error: new Error("the thread of the folder answered for too few batches") }
    : { result };
}
