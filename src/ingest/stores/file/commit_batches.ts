import { toOwner } from "../../events/erasures.ts";
import type { StoredEvent } from "../../events/stored_event.ts";
import { runLocked } from "../../platform/sqlite_lock.ts";
import type { CommittedBatch, PostedBatch } from "./file_sink.ts";
import type { FolderStore } from "./folder_store.ts";
import type { KnownIds } from "./known_ids.ts";

/** Stores batches. */
export interface Commit {
  /**
   * Stores batches in one transaction, which takes one sync of the disk instead of one each.
   *
   * @throws What kept it from being durable: then none is stored.
   */
  run(batches: readonly PostedBatch[]): readonly CommittedBatch[];
  /** Returns how many pageviews of a key arrived in a month. */
  countPageviews(keyHash: string, month: string): number;
}

const INSERT = "INSERT INTO batch (place, events, received_at, key_hash, texts) VALUES (?, ?, ?, ?, ?)";

const ADD_PAGEVIEWS = `
  INSERT INTO pageviews (key_hash, month, count) VALUES (?, ?, ?)
  ON CONFLICT (key_hash, month) DO UPDATE SET count = count + excluded.count RETURNING count
`;

const COUNT_PAGEVIEWS = "SELECT count FROM pageviews WHERE key_hash = ? AND month = ?";

/** Prepares to store batches in a folder. */
export function prepareCommit({ database, erasures }: FolderStore, ids: KnownIds): Commit {
  const insert = database.prepare(INSERT);
  const addPageviews = database.prepare(ADD_PAGEVIEWS);
  const countPageviews = database.prepare(COUNT_PAGEVIEWS);

  /** Returns the places of events that no erasure names. */
  function listKept({ keyHash, ids, texts, earliestMs }: PostedBatch, newest: string | undefined): readonly number[] {
    const all = ids.map((_, index) => index);
    // Mostly, all that arrives is newer than the last erasure.
    if (newest === undefined || earliestMs > Date.parse(newest)) return all;
    const isErased = erasures.read();
    const events: readonly StoredEvent[] = texts.split("\n").map((text) => JSON.parse(text));
    return all.filter((index) => !isErased(toOwner(keyHash, events[index] as StoredEvent)));
  }

  function store(
    batch: PostedBatch,
    { place, newest }: { readonly place: number; readonly newest: string | undefined },
  ): CommittedBatch {
    const { keyHash, texts, receivedAtMs } = batch;
    if (batch.ids.length === 0) return { stored: [], erased: 0 };
    const kept = listKept(batch, newest);
    const fresh = ids.add(keyHash, kept.map((index) => batch.ids[index] ?? ""));
    const stored = fresh.map((index) => kept[index] ?? 0);
    const erased = batch.ids.length - kept.length;
    if (stored.length === 0) return { stored, erased };
    insert.run(
      place,
      stored.length,
      receivedAtMs,
      keyHash,
      stored.length === batch.ids.length ? texts : pick(texts, stored),
    );
    const views = countShared(batch.pageviews, stored);
    if (views === 0) return { stored, erased };
    const row = addPageviews.get(keyHash, toMonth(receivedAtMs), views);
    return { stored, erased, pageviewsThisMonth: Number(row?.count) };
  }

  return {
    run(batches) {
      // IMMEDIATE takes the write lock at once: a later upgrade could fail halfway when two processes write.
      runLocked(database, "BEGIN IMMEDIATE");
      try {
        let place = ids.follow();
        const newest = erasures.newest();
        const outcomes = batches.map((batch) => {
          const outcome = store(batch, { place, newest });
          place += outcome.stored.length;
          return outcome;
        });
        database.exec("COMMIT");
        ids.keep(place);
        return outcomes;
      } catch (error) {
        ids.undo();
        try {
          database.exec("ROLLBACK");
        } catch {
          // SQLite has rolled it back by itself, as after a full disk.
        }
        throw error;
      }
    },
    countPageviews: (keyHash, month) => Number(countPageviews.get(keyHash, month)?.count ?? 0),
  };
}

function pick(texts: string, places: readonly number[]): string {
  const lines = texts.split("\n");
  return places.map((place) => lines[place] ?? "").join("\n");
}

/** Returns how many numbers are in both lists, which are in order. */
function countShared(some: readonly number[], others: readonly number[]): number {
  if (some.length === 0) return 0;
  const known = new Set(others);
  return some.filter((number) => known.has(number)).length;
}

function toMonth(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, "2026-01".length);
}
