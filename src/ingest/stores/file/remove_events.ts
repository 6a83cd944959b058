/**
 * Takes events out of a folder: files that hold some are written anew, and lines of the tail are emptied. Batches wait only
 * while a file is put in its place.
 *
 * @module
 */
import { renameSync, rmSync } from "node:fs";
import type { StoredOwner } from "../../events/selection.ts";
import { inTransaction } from "../../platform/sqlite_lock.ts";
import { syncDirectory } from "../../platform/sync_directory.ts";
import { writeDraft } from "./drafts.ts";
import { dropSealed, PAUSE_MS, wait } from "./drop_sealed.ts";
import { type BatchRow, listBatches, listSealed, OWNER_COLUMNS } from "./folder_rows.ts";
import { changeFiles, type FolderStore } from "./folder_store.ts";
import { toSealedPath } from "./follow_folder.ts";
import { DamagedError, GoneError, packRows, readSealed } from "./sealed_rows.ts";
import { sweepFolder } from "./sweep_folder.ts";
import { findNext } from "./tail_places.ts";

/** Returns whether an event is to go. */
export type IsGone = (event: StoredOwner) => boolean;

/** Hears of events that went. */
export type OnGone = (event: StoredOwner) => void;

/** Which events go. */
export interface RemoveOptions {
  readonly isGone: IsGone;
  /** Hears of events that are about to go, maybe more than once. They go when it has resolved. */
  readonly onGoing?: (events: readonly StoredOwner[]) => Promise<void>;
  readonly onGone: OnGone;
  /** Only files with an event are looked at that arrived before this time, in milliseconds since the Unix epoch. */
  readonly receivedBeforeMs?: number;
}

/** Options that are the same for files and the tail. */
type Going = Pick<RemoveOptions, "isGone" | "onGoing" | "onGone">;

const FILE = "SELECT version, events, until_place AS until FROM file WHERE number = ?";

const REPLACED = `
  UPDATE file SET version = version + 1, removals = removals + 1, events = ?, bytes = ?, first_received_at = ?, last_received_at = ?
  WHERE number = ?
`;

const BATCHES =
  "SELECT place, events, key_hash AS keyHash, texts FROM batch WHERE place >= ? AND place < ? ORDER BY place LIMIT 100";

/**
 * Takes events out of the files and the tail, as they are now.
 *
 * @throws {DamagedError} Once it has taken them out of all the rest, where files are damaged, or not registered.
 */
export async function removeEvents(
  store: FolderStore,
  { receivedBeforeMs, ...going }: RemoveOptions,
): Promise<void> {
  const { database } = store;
  // What arrives from now on is checked when it arrives: this ends, whatever is sent.
  const until = findNext(store);
  const before = Math.ceil(receivedBeforeMs ?? Number.MAX_SAFE_INTEGER);
  const select = database.prepare(
    "SELECT number, until_place AS until FROM file WHERE from_place < ? AND first_received_at < ? ORDER BY number",
  );
  const list = (): ReadonlyMap<number, number> =>
    new Map(select.all(until, before).map((file) => [Number(file.number), Number(file.until)]));
  const faults: string[] = [];
  const rewrite = async (numbers: Iterable<number>): Promise<void> => {
    for (const number of numbers) {
      await rewriteFile(store, { number, ...going }).catch((error) => {
        if (!(error instanceof DamagedError)) throw error;
        faults.push(error.message);
      });
    }
  };
  const files = list();
  await rewrite(files.keys());
  await emptyTail(store, { until, ...going });
  // A seal that was killed may have left a file with them. From now on no seal can: it sees that the tail lost events.
  faults.push(...(await sweepFolder(store)).map(({ message }) => message));
  // What was sealed meanwhile had been in the tail. The newest file may have grown by it.
  await rewrite([...list()].filter(([number, until]) => files.get(number) !== until).map(([number]) => number));
  while (dropSealed(store)) await wait(PAUSE_MS);
  if (faults.length > 0) throw new DamagedError(faults.join("; "));
}

/** Drops a file with all of its events, unless it was replaced since; returns whether it did. */
function dropFile(store: FolderStore, { number, version }: Readonly<Record<string, unknown>>): boolean {
  const { database, folder } = store;
  const drop = database.prepare("DELETE FROM file WHERE number = ? AND version = ?");
  const isDropped = changeFiles(store, () => drop.run(Number(number), Number(version)).changes > 0);
  if (isDropped) rmSync(toSealedPath(folder, Number(number)), { force: true });
  return isDropped;
}

const OLDER = "SELECT number, version, events FROM file WHERE last_received_at < ?";

/** Returns whether all events of a file arrived before a time, in milliseconds since the Unix epoch. */
export function hasOlder({ database }: FolderStore, beforeMs: number): boolean {
  return database.prepare(OLDER).get(beforeMs) !== undefined;
}

/** Drops the files whose events all arrived before a time, and reads none of them. Returns how many events they had. */
export function dropOlder(store: FolderStore, beforeMs: number): number {
  let events = 0;
  for (const file of store.database.prepare(OLDER).all(beforeMs)) {
    if (dropFile(store, file)) events += Number(file.events);
  }
  return events;
}

/** Writes a file anew without events. Another process may do the same: whoever is second begins again. */
async function rewriteFile(
  store: FolderStore,
  { number, isGone, onGoing, onGone }: Going & { readonly number: number },
): Promise<void> {
  const { database, folder } = store;
  const path = toSealedPath(folder, number);
  const select = database.prepare(FILE);
  for (;;) {
    const before = select.get(number);
    if (before === undefined) return;
    const owners = await readSealed(path, OWNER_COLUMNS).catch((error) => {
      if (select.get(number) === undefined && error instanceof GoneError) return undefined;
      throw error;
    });
    if (owners === undefined) return;
    const left: boolean[] = [];
    const gone: StoredOwner[] = [];
    let [first, last] = [Infinity, -Infinity];
    const arrivals = owners.columns.get("received_at") ?? [];
    let kept = 0;
    for (const owner of listSealed(owners, 0)) {
      // Whoever let it grow was killed before that was registered: the tail has it.
      const isExtra = owner.seq >= Number(before.until);
      const row = left.push(!isExtra && !isGone(owner)) - 1;
      if (left[row]) {
        const arrivedMs = Number(arrivals[row]);
        [first, last] = [Math.min(first, arrivedMs), Math.max(last, arrivedMs)];
        kept += 1;
      } else if (!isExtra) gone.push(owner);
    }
    // Whoever was killed between the file and its register has left a file with fewer events than are registered, or more.
    if (gone.length === 0 && owners.count === Number(before.events)) return;
    await onGoing?.(gone);
    if (kept === 0) {
      if (!dropFile(store, { ...before, number })) continue;
    } else {
      const draft = writeDraft(folder, await packRows(await readSealed(path), (row) => left[row] ?? true));
      const isReplaced = changeFiles(store, () => {
        if (!isStill(before)) return false;
        database.prepare(REPLACED).run(kept, draft.bytes, first, last, number);
        renameSync(draft.path, path);
        syncDirectory(folder);
        return true;
      });
      rmSync(draft.path, { force: true });
      if (!isReplaced) continue;
    }
    for (const event of gone) onGone(event);
    return;
  }

  function isStill({ version }: Readonly<Record<string, unknown>>): boolean {
    return select.get(number)?.version === version;
  }
}

/** Empties the lines of events in the tail, those before a place. */
async function emptyTail(
  store: FolderStore,
  { until, isGone, onGoing, onGone }: Going & { readonly until: number },
): Promise<void> {
  const { database } = store;
  const select = database.prepare(BATCHES);
  const update = database.prepare("UPDATE batch SET texts = ? WHERE place = ? AND texts = ?");
  const raise = database.prepare("UPDATE store SET tail_version = tail_version + 1");
  for (let from = 0; from < until;) {
    // The columns are those of the query.
    const batches = select.all(from, until) as unknown as readonly BatchRow[];
    const last = batches.at(-1);
    if (last === undefined) return;
    const held = batches
      .map((batch) => ({ ...batch, gone: [...listBatches([batch], 0)].filter(isGone) }))
      .filter(({ gone }) => gone.length > 0);
    const behind = last.place + last.events;
    if (held.length === 0) {
      from = behind;
      continue;
    }
    await onGoing?.(held.flatMap(({ gone }) => gone));
    const { emptied, tailFrom } = inTransaction(database, () => {
      const emptied = held.filter(({ place, texts, gone }) =>
        update.run(emptyLines({ place, texts, gone }), place, texts).changes > 0
      );
      if (emptied.length > 0) raise.run();
      return { emptied, tailFrom: Number(database.prepare("SELECT tail_from FROM store").get()?.tail_from) };
    });
    for (const event of emptied.flatMap(({ gone }) => gone)) {
      // What a file holds meanwhile goes with the file.
      if (event.seq >= tailFrom) onGone(event);
    }
    // Who else erases may have changed a batch since it was read: then it is read again.
    if (emptied.length === held.length) from = behind;
    await wait(PAUSE_MS);
  }
}

/** Writes a batch's texts without those of some events: an empty line stays for each. */
function emptyLines(
  { place, texts, gone }: Pick<BatchRow, "place" | "texts"> & { readonly gone: readonly StoredOwner[] },
): string {
  const places = new Set(gone.map(({ seq }) => seq));
  return texts.split("\n").map((text, index) => places.has(place + index) ? "" : text).join("\n");
}
