import { toOwner } from "../../events/erasures.ts";
import type { StoredEvent } from "../../events/stored_event.ts";
import { runLocked } from "../../platform/sqlite_lock.ts";
import type { FolderStore } from "./folder_store.ts";
import type { CommittedBatches, PostedBatches } from "./join_batches.ts";
import { type KnownIds, readIds } from "./known_ids.ts";

/** Stores batches. */
export interface Commit {
  /**
   * Stores batches in one transaction, which takes one sync of the disk instead of one each.
   *
   * @throws What kept it from being durable: then none is stored.
   */
  run(posted: readonly PostedBatches[]): readonly CommittedBatches[];
  /** Returns how many pageviews of a key arrived in a month. */
  countPageviews(keyHash: string, month: string): number;
}

/** Outcome of joined batches, with the number of their events that were stored. */
interface Stored {
  readonly events: number;
  readonly outcome: CommittedBatches;
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

  /** Returns the places of events that an erasure names. */
  function listErased(
    { texts, earliestMs }: PostedBatches,
    { keyHash, newest }: { readonly keyHash: string; readonly newest: string | undefined },
  ): readonly number[] {
    // Mostly, all that arrives is newer than the last erasure.
    if (newest === undefined || earliestMs > Date.parse(newest)) return [];
    const isErased = erasures.read();
    const events: readonly StoredEvent[] = texts.split("\n").map((text) => JSON.parse(text));
    return events.flatMap((event, place) => isErased(toOwner(keyHash, event)) ? [place] : []);
  }

  function store(
    posted: PostedBatches,
    { place, newest }: { readonly place: number; readonly newest: string | undefined },
  ): Stored {
    const { texts, pageviews, receivedAtMs } = posted;
    const keyHash = erasures.hashes.key(posted.apiKey);
    const all = readIds(texts);
    const erased = listErased(posted, { keyHash, newest });
    const kept = [...all.keys()].filter((index) => !erased.includes(index));
    const stored = ids.add(keyHash, kept.map((index) => all[index] ?? "")).map((index) => kept[index] ?? 0);
    const isWhole = stored.length === all.length;
    const outcome = { ...(!isWhole && { stored }), ...(erased.length > 0 && { erased }) };
    if (stored.length === 0) return { events: 0, outcome };
    insert.run(place, stored.length, receivedAtMs, keyHash, isWhole ? texts : pick(texts, stored));
    const views = isWhole ? pageviews.length : countShared(pageviews, stored);
    if (views === 0) return { events: stored.length, outcome };
    const row = addPageviews.get(keyHash, toMonth(receivedAtMs), views);
    return { events: stored.length, outcome: { ...outcome, pageviewsThisMonth: Number(row?.count) } };
  }

  return {
    run(posted) {
      // IMMEDIATE takes the write lock at once: a later upgrade could fail halfway when two processes write.
      runLocked(database, "BEGIN IMMEDIATE");
      try {
        let place = ids.follow();
        const newest = erasures.newest();
        const outcomes = posted.map((batches) => {
          const { events, outcome } = store(batches, { place, newest });
          place += events;
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
