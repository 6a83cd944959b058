import { Buffer } from "node:buffer";
import { renameSync, rmSync } from "node:fs";
import type { StoredEvent } from "../../events/stored_event.ts";
import { inSnapshot } from "../../platform/sqlite_lock.ts";
import { syncDirectory } from "../../platform/sync_directory.ts";
import { type Draft, writeDraft } from "./drafts.ts";
import { dropSealed, PAUSE_MS, wait } from "./drop_sealed.ts";
import { toSealedPath } from "./follow_folder.ts";
import { changeFiles, type FolderStore } from "./folder_store.ts";
import { hashIds } from "./known_ids.ts";
import { type SealedEvent, sealEvents } from "./seal_events.ts";
import { buildOlderError, packGrown, packRows, readWhole, type SealedRows } from "./sealed_rows.ts";
import { isNumberTaken, sweepFolder } from "./sweep_folder.ts";
import { countTail, findNext } from "./tail_places.ts";

/** Rows that are read at a time: a row may have a megabyte. */
const PIECE_ROWS = 100;

/** Options of {@linkcode sealTail}. */
export interface SealOptions {
  /** Whether it is sealed although it isn't enough for a file. */
  readonly isAged: boolean;
  /** Most events of a file; a batch that has more is one file. */
  readonly fileEvents: number;
}

/** The oldest batches of the tail, as they were at one moment. */
interface Oldest {
  readonly from: number;
  readonly until: number;
  readonly events: readonly SealedEvent[];
  /** State at that moment, which must still hold when the file is registered. */
  readonly state: string;
  /** The newest file, where it is small enough to take them too. */
  readonly newest?: Newest;
}

/** The newest file. */
interface Newest {
  readonly number: number;
  readonly events: number;
}

const STATE = `
  SELECT tail_from, tail_version, last_change, (SELECT max(number) FROM file) AS newest,
    (SELECT version FROM file ORDER BY number DESC LIMIT 1) AS version
  FROM store
`;

const NEWEST = "SELECT number, events FROM file WHERE until_place = ? ORDER BY number DESC LIMIT 1";

const LAST = "SELECT number, until_place AS until FROM file ORDER BY number DESC LIMIT 1";

const TRIM = "UPDATE file SET bytes = ?, version = version + 1 WHERE number = ?";

const GROW = `
  UPDATE file SET until_place = ?, events = events + ?, bytes = ?, version = version + 1,
    first_received_at = min(first_received_at, ?), last_received_at = max(last_received_at, ?)
  WHERE number = ?
`;

const BATCHES = "SELECT place, events, key_hash AS keyHash, texts FROM batch WHERE place >= ? ORDER BY place LIMIT ?";

const REGISTER = `
  INSERT INTO file (number, from_place, until_place, events, bytes, version, removals, first_received_at, last_received_at)
  VALUES (?, ?, ?, ?, ?, 1, 0, ?, ?)
`;

/**
 * Writes the oldest events of the tail into the newest file where they fit into it, else into a file of their own. One transaction
 * registers that and takes their batches out of the tail. Returns false where there are too few, or where somebody is erased
 * meanwhile. Who is being erased already goes into the file too: who erases takes them out of it, and counts them there.
 */
export async function sealTail(store: FolderStore, options: SealOptions): Promise<boolean> {
  const oldest = inSnapshot(store.database, () => readOldest(store, options));
  if (oldest === undefined) return false;
  const { events } = oldest;
  const grown = events.length === 0 ? undefined : await growNewest(store, oldest);
  // From then on it isn't the newest, and all of its rows count.
  if (grown === undefined && await trimNewest(store, oldest)) return await sealTail(store, options);
  const bytes = grown ?? (events.length === 0 ? undefined : await sealEvents(events));
  const draft = bytes === undefined ? undefined : writeDraft(store.folder, bytes);
  const number = grown === undefined ? undefined : oldest.newest?.number;
  try {
    return changeFiles(store, () => register(store, { oldest, draft, number }));
  } finally {
    if (draft !== undefined) rmSync(draft.path, { force: true });
  }
}

/** Writes the newest file with the events behind its own; undefined where there is no small one, or it is damaged. */
async function growNewest({ folder }: FolderStore, oldest: Oldest): Promise<Uint8Array | undefined> {
  const { newest, from, until, events } = oldest;
  if (newest === undefined) return undefined;
  const path = toSealedPath(folder, newest.number);
  const rows = await readWhole(path);
  if (rows === undefined) return undefined;
  const seqs = listSeqs(rows);
  checkExtra(rows, { path, from, next: until, events });
  return await packGrown(rows, { isKept: (row) => (seqs[row] ?? 0) < from, events });
}

/**
 * Writes the newest file without what it has more than is registered: whoever let it grow was killed before that was. Whoever is
 * killed here has left it right, or as it was. Returns whether it did.
 */
async function trimNewest(store: FolderStore, { state, from, events }: Oldest): Promise<boolean> {
  const { database, folder } = store;
  const last = database.prepare(LAST).get();
  if (last === undefined) return false;
  const [number, until] = [Number(last.number), Number(last.until)];
  const path = toSealedPath(folder, number);
  const isExtra = (seq: number): boolean => seq >= until;
  const places = await readWhole(path, ["seq"]);
  if (places === undefined || !listSeqs(places).some(isExtra)) return false;
  const rows = await readWhole(path);
  if (rows === undefined) return false;
  checkExtra(rows, { path, from, next: findNext(store), events });
  const seqs = listSeqs(rows);
  const draft = writeDraft(folder, await packRows(rows, (row) => !isExtra(seqs[row] ?? 0)));
  try {
    return changeFiles(store, () => {
      if (readState(store).state !== state) return false;
      database.prepare(TRIM).run(draft.bytes, number);
      renameSync(draft.path, path);
      syncDirectory(folder);
      return true;
    });
  } finally {
    rmSync(draft.path, { force: true });
  }
}

function listSeqs({ columns }: SealedRows): readonly number[] {
  return Array.from(columns.get("seq") ?? [], Number);
}

/**
 * Makes sure that what a file has from the tail's beginning on is in the tail, where somebody was killed before that was
 * registered.
 */
function checkExtra(
  rows: SealedRows,
  { path, from, next, events }: Pick<Oldest, "from" | "events"> & { readonly path: string; readonly next: number },
): void {
  const inTail = new Map(events.map(({ seq, id }) => [seq, id]));
  const ids = rows.columns.get("id") ?? [];
  const isFromElsewhere = (seq: number, row: number): boolean =>
    seq >= from && (seq >= next || (inTail.get(seq) ?? ids[row]) !== ids[row]);
  if (listSeqs(rows).some(isFromElsewhere)) throw buildOlderError(path);
}

function readOldest(store: FolderStore, { isAged, fileEvents }: SealOptions): Oldest | undefined {
  const { database } = store;
  const { state, from } = readState(store);
  const select = database.prepare(BATCHES);
  const events: SealedEvent[] = [];
  let until = from;
  let count = 0;
  for (;;) {
    const rows = select.all(until, PIECE_ROWS);
    for (const { place, events: places, keyHash, texts } of rows) {
      if (count > 0 && count + Number(places) > fileEvents) return { from, until, events, state };
      count += Number(places);
      for (const [index, text] of String(texts).split("\n").entries()) {
        if (text === "") continue;
        const event: StoredEvent = JSON.parse(text);
        events.push(Object.assign(event, { keyHash: String(keyHash), seq: Number(place) + index }));
      }
      until = Number(place) + Number(places);
    }
    if (rows.length < PIECE_ROWS) break;
  }
  if (count < fileEvents && !(isAged && count > 0)) return undefined;
  const newest = database.prepare(NEWEST).get(from);
  const isSmall = newest !== undefined && Number(newest.events) + events.length <= fileEvents;
  return {
    ...{ from, until, events, state },
    ...(isSmall && { newest: { number: Number(newest.number), events: Number(newest.events) } }),
  };
}

function readState({ database }: FolderStore): { readonly state: string; readonly from: number } {
  const row = database.prepare(STATE).get();
  return { state: JSON.stringify(row), from: Number(row?.tail_from) };
}

/** Registers a file, unless the tail has changed otherwise than by growing: then what was read is no longer right. */
function register(
  store: FolderStore,
  { oldest: { from, until, events, state }, draft, number: grown }: {
    readonly oldest: Oldest;
    readonly draft: Draft | undefined;
    /** Number of the file that the draft replaces; a new one is registered where it's absent. */
    readonly number: number | undefined;
  },
): boolean {
  const { database, folder } = store;
  if (readState(store).state !== state) return false;
  database.prepare("UPDATE store SET tail_from = ?").run(until);
  const { seed, last_number: last } = database.prepare("SELECT seed, last_number FROM store").get() ?? {};
  const next = Number(last) + 1;
  // Whoever was killed may have left a file of that number. Its events were in the tail, and are no more.
  if (draft === undefined || grown !== undefined) rmSync(toSealedPath(folder, next), { force: true });
  if (draft === undefined) return true;
  const number = grown ?? next;
  const times = events.map(({ receivedAt }) => Date.parse(receivedAt));
  const [first, latest] = times.reduce(
    ([least, most], time) => [Math.min(least, time), Math.max(most, time)],
    [Infinity, -Infinity],
  );
  const hashes = hashIds(Number(seed), events);
  if (grown === undefined) {
    database.prepare("UPDATE store SET last_number = ?").run(number);
    database.prepare(REGISTER).run(number, from, until, events.length, draft.bytes, first, latest);
    database.prepare("INSERT INTO file_ids VALUES (?, ?)").run(number, hashes);
  } else {
    database.prepare(GROW).run(until, events.length, draft.bytes, first, latest, number);
    const known = database.prepare("SELECT hashes FROM file_ids WHERE number = ?").get(number)?.hashes;
    const all = known instanceof Uint8Array ? Buffer.concat([known, hashes]) : hashes;
    database.prepare("INSERT OR REPLACE INTO file_ids VALUES (?, ?)").run(number, all);
  }
  // Last: whatever fails before leaves no file. Whoever is killed behind it leaves one that nobody knows, which is swept.
  renameSync(draft.path, toSealedPath(folder, number));
  syncDirectory(folder);
  return true;
}

/** Most attempts to seal all of the tail: others may erase meanwhile, or go on to send. */
const MAX_ATTEMPTS = 10;

/** Seals all that the tail has now, however little it is, and deletes it there in small pieces. It writes over no stray file. */
export async function sealAll(store: FolderStore, fileEvents: number): Promise<void> {
  const strays = await sweepFolder(store);
  for (let attempt = 0; attempt < MAX_ATTEMPTS && countTail(store) > 0; attempt++) {
    if (isNumberTaken(store, strays)) return;
    await sealTail(store, { isAged: true, fileEvents });
    while (dropSealed(store)) await wait(PAUSE_MS);
  }
}
