import type { StoredEvent } from "../../events/stored_event.ts";
import { inSnapshot } from "../../platform/sqlite_lock.ts";
import type { FolderStore } from "./folder_store.ts";
import { createIdHashes } from "./hash_ids.ts";
import { createIdSet } from "./id_set.ts";

/** Ids that are known, in memory. */
export interface KnownIds {
  /** Reads the ids that there are, without the lock: that takes seconds, and leaves `follow()` what is stored meanwhile. */
  load(): void;
  /**
   * Takes over what others have stored since, and forgets what is gone or too old. Call it with the lock for writing, so that
   * nobody stores anything meanwhile.
   *
   * @returns Place that the next event gets.
   */
  follow(): number;
  /** Adds the ids of a batch; returns the places of those that are new. */
  add(keyHash: string, ids: readonly string[]): readonly number[];
  /** Says that what was added is stored until this place. */
  keep(next: number): void;
  /** Takes out what was added since `follow()`: it wasn't stored. */
  undo(): void;
  /** Returns how many ids are known. */
  size(): number;
}

/** Most ids that are known, and for how long each is at least. */
export interface IdLimits {
  /** Most ids: 20,000,000 take some 170 MB. */
  readonly ids: number;
  /** Milliseconds since the arrival of its file's last event. */
  readonly keptMs: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The limits of a folder. */
export const ID_LIMITS: IdLimits = { ids: 20_000_000, keptMs: 30 * DAY_MS };

const NEXT = `
  SELECT tail_from AS tailFrom,
    max(tail_from, coalesce((SELECT place + events FROM batch ORDER BY place DESC LIMIT 1), 0)) AS next
  FROM store
`;

/** One at a time: `iterate()` would take an error for the end on Deno. */
const NEWEST = `
  SELECT number, hashes, last_received_at AS lastReceivedAt FROM file JOIN file_ids USING (number)
  WHERE until_place > ? AND number < ? ORDER BY number DESC LIMIT 1
`;

const BATCHES = `
  SELECT place, events, key_hash AS keyHash, texts FROM batch
  WHERE place >= max(?, (SELECT tail_from FROM store)) ORDER BY place LIMIT 100
`;

const GONE = "SELECT number, hashes FROM file_ids WHERE number NOT IN (SELECT number FROM file)";

const OLDEST = `
  SELECT number, hashes, last_received_at AS lastReceivedAt FROM file JOIN file_ids USING (number)
  WHERE number > ? ORDER BY number LIMIT 1
`;

/** Opens the ids of a folder; none is in memory before the first `follow()`. */
export function openKnownIds({ database }: Pick<FolderStore, "database">, limits: IdLimits = ID_LIMITS): KnownIds {
  const [selectNext, selectNewest, selectBatches] = [NEXT, NEWEST, BATCHES].map((sql) => database.prepare(sql));
  const [selectGone, selectOldest] = [GONE, OLDEST].map((sql) => database.prepare(sql));
  const dropHashes = database.prepare("DELETE FROM file_ids WHERE number = ?");
  const hashes = createIdHashes(Number(database.prepare("SELECT seed FROM store").get()?.seed));
  const known = createIdSet();
  let [next, tailFrom, forgotten] = [0, 0, 0];
  let added: Uint32Array[] = [];

  function isTooOld(lastReceivedAt: unknown): boolean {
    return known.size() > limits.ids && Number(lastReceivedAt) < Date.now() - limits.keptMs;
  }

  function addAll(words: Uint32Array): void {
    for (let at = 0; at < words.length; at += 2) known.add(words[at] ?? 0, words[at + 1] ?? 0);
  }

  function removeAll(words: Uint32Array): void {
    for (let at = 0; at < words.length; at += 2) known.remove(words[at] ?? 0, words[at + 1] ?? 0);
  }

  /** The newest files come first: they have the ids that count. */
  function readFiles(): void {
    let below = Number.MAX_SAFE_INTEGER;
    for (;;) {
      const file = selectNewest?.get(next, below);
      if (file === undefined) return;
      below = Number(file.number);
      if (isTooOld(file.lastReceivedAt)) {
        forgotten = Math.max(forgotten, below);
        return;
      }
      addAll(toWords(file.hashes));
    }
  }

  function readTail(): void {
    for (;;) {
      const rows = selectBatches?.all(next) ?? [];
      for (const { place, events, keyHash, texts } of rows) {
        addAll(hashAll(String(keyHash), readIds(String(texts))));
        next = Number(place) + Number(events);
      }
      if (rows.length === 0) return;
    }
  }

  function hashAll(keyHash: string, ids: readonly string[]): Uint32Array {
    const words = new Uint32Array(2 * ids.length);
    for (const [index, id] of ids.entries()) hashes.write(keyHash, id, { words, at: 2 * index });
    return words;
  }

  /** Forgets the ids of files that are gone, and the oldest of too many. */
  function forget(): void {
    for (const { number, hashes: bytes } of selectGone?.all() ?? []) {
      removeAll(toWords(bytes));
      dropHashes.run(Number(number));
    }
    for (;;) {
      const oldest = selectOldest?.get(forgotten);
      if (oldest === undefined || !isTooOld(oldest.lastReceivedAt)) return;
      removeAll(toWords(oldest.hashes));
      forgotten = Number(oldest.number);
    }
  }

  /** Reads what was stored since, until a place. */
  function readUntil(there: number): void {
    if (there === next) return;
    readFiles();
    readTail();
    next = there;
  }

  return {
    load: () => inSnapshot(database, () => readUntil(Number(selectNext?.get()?.next))),
    follow() {
      added = [];
      const row = selectNext?.get();
      readUntil(Number(row?.next));
      // Something was sealed: that is the time to look.
      if (tailFrom !== row?.tailFrom) forget();
      tailFrom = Number(row?.tailFrom);
      return next;
    },
    add(keyHash, ids) {
      const words = hashAll(keyHash, ids);
      const fresh: number[] = [];
      for (let index = 0; index < ids.length; index++) {
        const [high = 0, low = 0] = [words[2 * index], words[2 * index + 1]];
        if (known.add(high, low)) fresh.push(index);
      }
      if (fresh.length === ids.length) added.push(words);
      else added.push(Uint32Array.from(fresh.flatMap((index) => [words[2 * index] ?? 0, words[2 * index + 1] ?? 0])));
      return fresh;
    },
    keep(stored) {
      added = [];
      next = stored;
    },
    undo() {
      for (const words of added) removeAll(words);
      added = [];
    },
    size: known.size,
  };
}

/** Writes the hashes of a file's ids as bytes, for its register. */
export function hashIds(
  seed: number,
  ids: readonly { readonly keyHash: string; readonly id: string }[],
): Uint8Array {
  const hashes = createIdHashes(seed);
  const words = new Uint32Array(2 * ids.length);
  for (const [index, { keyHash, id }] of ids.entries()) hashes.write(keyHash, id, { words, at: 2 * index });
  return new Uint8Array(words.buffer);
}

/** Reads the ids of a batch; what was taken out has none. */
export function readIds(texts: string): readonly string[] {
  return texts.split("\n").flatMap((text) => text === "" ? [] : readId(text));
}

const BEGIN = '{"id":"';

/** Reads the id of an event from its JSON: mostly it comes first, and has nothing escaped in it. */
function readId(text: string): string {
  const id = text.slice(BEGIN.length, text.indexOf('"', BEGIN.length));
  return text.startsWith(BEGIN) && !id.includes("\\") ? id : (JSON.parse(text) as StoredEvent).id;
}

function toWords(bytes: unknown): Uint32Array {
  // A copy begins at an address that words can begin at.
  return bytes instanceof Uint8Array ? new Uint32Array(bytes.slice().buffer) : new Uint32Array();
}
