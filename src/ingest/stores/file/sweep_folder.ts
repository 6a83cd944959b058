import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { inTransaction } from "../../platform/sqlite_lock.ts";
import { DRAFT_ENDING } from "./drafts.ts";
import { ERASURES_NAME } from "./erasure_records.ts";
import { changeFiles, type FolderStore } from "./folder_store.ts";
import { toSealedPath } from "./follow_folder.ts";
import { buildOlderError, DamagedError, GoneError, readSealed, readWhole } from "./sealed_rows.ts";
import { findNext } from "./tail_places.ts";

const SEALED_NAME = /^(\d{8})\.parquet$/;

const DRAFT_NAME = new RegExp(`^([0-9a-f-]{36}|${ERASURES_NAME})\\${DRAFT_ENDING}$`);

/** Age from which a draft is left over: another process may be writing a younger one. */
const LEFT_OVER_MS = 10 * 60 * 1000;

/** Removes files without a name that a process left which was killed. */
export function sweepDrafts({ folder }: Pick<FolderStore, "folder">): void {
  for (const name of readdirSync(folder).filter((name) => DRAFT_NAME.test(name))) {
    const path = join(folder, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined && Date.now() - found.mtimeMs > LEFT_OVER_MS) rmSync(path, { force: true });
  }
}

/** A file that isn't registered, and that may have events which are nowhere else: it is damaged, or newer than the database. */
export interface StrayFile {
  /** Number in its name. */
  readonly number: number;
  /** Says what is wrong with it. */
  readonly message: string;
}

/** Removes the files that a process left which was killed, those that aren't registered. Returns those that it leaves alone. */
export async function sweepFolder(store: FolderStore): Promise<readonly StrayFile[]> {
  const strays: StrayFile[] = [];
  for (const name of readdirSync(store.folder)) {
    const number = Number(SEALED_NAME.exec(name)?.[1]);
    if (Number.isNaN(number) || isRegistered(store, number)) continue;
    const message = await sweepFile(store, number);
    if (message !== undefined) strays.push({ number, message });
  }
  return strays;
}

/** Returns whether a stray file has the number of the next file: sealing would write over it. */
export function isNumberTaken({ database }: FolderStore, strays: readonly StrayFile[]): boolean {
  const last = Number(database.prepare("SELECT last_number FROM store").get()?.last_number);
  return strays.some(({ number }) => number === last + 1);
}

/**
 * Has the records applied again where a file isn't the one that is registered: it may be from a backup, and have people who were
 * erased since.
 */
export async function checkFiles({ database, folder, erasures }: FolderStore): Promise<void> {
  const select = database.prepare("SELECT number, bytes FROM file");
  // Whoever replaces a file registers that in the same transaction.
  const others = inTransaction(database, () =>
    select.all().filter(({ number, bytes }) => {
      const found = statSync(toSealedPath(folder, Number(number)), { throwIfNoEntry: false });
      return found !== undefined && found.size !== Number(bytes);
    }));
  for (const { number } of others) {
    // One that is damaged can't be read, and brings nobody back.
    if (await readWhole(toSealedPath(folder, Number(number)), ["seq"]) !== undefined) return erasures.reopen();
  }
}

/** Removes a file that isn't registered, if that loses nothing; else returns why not. */
async function sweepFile(store: FolderStore, number: number): Promise<string | undefined> {
  const path = toSealedPath(store.folder, number);
  // It isn't read: a damaged one would keep the tail from being sealed.
  if (wasDropped(store, number)) {
    changeFiles(store, () => rmSync(path, { force: true }));
    return undefined;
  }
  try {
    const { columns } = await readSealed(path, ["seq"]);
    const seqs = Array.from(columns.get("seq") ?? [], Number);
    const isSwept = changeFiles(store, () => {
      if (isRegistered(store, number)) return true;
      const isNeedless = isInTail(store, seqs) || wasDropped(store, number);
      if (isNeedless) rmSync(path, { force: true });
      return isNeedless;
    });
    return isSwept ? undefined : buildOlderError(path).message;
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error;
    // Who else sweeps may have removed it.
    return error instanceof GoneError ? undefined : error.message;
  }
}

function isInTail(store: FolderStore, seqs: readonly number[]): boolean {
  const tailFrom = Number(store.database.prepare("SELECT tail_from FROM store").get()?.tail_from);
  const next = findNext(store);
  return seqs.every((seq) => seq >= tailFrom && seq < next);
}

/** Returns whether a file was registered once and is no more. Both are asked at one moment: a number is given once. */
function wasDropped({ database }: FolderStore, number: number): boolean {
  const sql =
    "SELECT 1 FROM store WHERE last_number >= :number AND NOT EXISTS (SELECT 1 FROM file WHERE number = :number)";
  return database.prepare(sql).get({ number }) !== undefined;
}

function isRegistered({ database }: FolderStore, number: number): boolean {
  return database.prepare("SELECT 1 FROM file WHERE number = ?").get(number) !== undefined;
}
