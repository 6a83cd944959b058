import { closeSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { createFindErasure, type Erasure } from "../../events/erasures.ts";
import { inSnapshot } from "../../platform/sqlite_lock.ts";
import { loadSqlite } from "../../platform/sqlite_module.ts";
import { readRecords } from "./erasure_records.ts";
import { isNotWritable } from "../../platform/not_writable.ts";
import { buildFolderError, checkLayout, TAIL_NAME } from "./tail_schema.ts";

/** A sealed file, as it is registered. */
export interface SealedFile {
  /** Its number, of which its name is made. */
  readonly number: number;
  /** Path of the file. */
  readonly path: string;
  /** Place of its first event. */
  readonly from: number;
  /** Place behind its last event. */
  readonly until: number;
  /** Number of its events: fewer than places, once some were taken out. */
  readonly events: number;
  /** Its size in bytes. */
  readonly bytes: number;
  /** Raised whenever the file was replaced, which keeps its name. */
  readonly version: number;
  /** Raised whenever events were taken out of it. */
  readonly removals: number;
  /** Time of arrival of its earliest event, in milliseconds since the Unix epoch. */
  readonly firstReceivedAt: number;
  /** Time of arrival of its latest event, in milliseconds since the Unix epoch. */
  readonly lastReceivedAt: number;
}

/** A batch that is in no file yet. */
export interface TailBatch {
  /** Place of its first event. */
  readonly place: number;
  /** First 32 hexadecimal digits of the SHA-256 of the publishable key. */
  readonly keyHash: string;
  /** Its events as JSON, one a place; an empty text where one was taken out. */
  readonly texts: readonly string[];
}

/** A record of an erasure, and what became of it. */
export interface FollowedErasure extends Erasure {
  /**
   * Its place in the order of the records: a record that is made anew gets another. 0 of those that no writer has taken over yet
   * from the file beside the database, which is a backup then.
   */
  readonly change: number;
  /** Whether files and tail hold nothing more of what it names. Until then, it is hidden by who reads. */
  readonly isApplied: boolean;
}

/** A folder of events at one moment: an event is in one of the files or in the tail, and never in both. */
export interface FolderView {
  /** Returns the sealed files by their numbers. */
  files(): readonly SealedFile[];
  /** Returns the place from which on events are in the tail: what was before is in a file, or gone. */
  tailFrom(): number;
  /** Returns a number that is raised whenever events were taken out of the tail, but for those that a file holds now. */
  tailVersion(): number;
  /** Reads batches of the tail that begin at a place or behind it, in their order; at most so many. */
  batches(from: number, most?: number): readonly TailBatch[];
  /** Returns the records of erasures behind a `change`, in order. Begin with 0. */
  erasures(after: number): readonly FollowedErasure[];
}

/** A folder of events that others write to. */
export interface FollowedFolder {
  /** Returns whether anything was written since the last call; at first it is true. */
  changed(): boolean;
  /** Reads what there is at this moment. It locks no writer out. */
  read<R>(work: (view: FolderView) => R): R;
  /** Releases what it holds. */
  close(): void;
}

const FILES = `
  SELECT number, from_place AS "from", until_place AS until, events, bytes, version, removals,
    first_received_at AS firstReceivedAt, last_received_at AS lastReceivedAt
  FROM file ORDER BY number
`;

const BATCHES = `
  SELECT place, key_hash AS keyHash, texts FROM batch
  WHERE place >= max(?, (SELECT tail_from FROM store)) ORDER BY place LIMIT ?
`;

const ERASURES = `
  SELECT key_hash AS key, kind, id_hash AS id, erased_at AS erasedAt, change, state FROM erasure
  WHERE change > ? ORDER BY change
`;

/** Milliseconds that a read waits for a writer that opens or closes the folder. */
const BUSY_TIMEOUT_MS = 2000;

/** Most attempts to read while somebody writes. */
const MAX_ATTEMPTS = 3;

/** Returns the path of a sealed file. */
export function toSealedPath(folder: string, number: number): string {
  return join(folder, `${String(number).padStart(8, "0")}.parquet`);
}

/**
 * Opens a folder of events to read it while others write. A folder that this process can't write, such as a mount, is opened
 * anew whenever somebody else has written to it.
 *
 * @throws {Error} Where there is no `node:sqlite`, and for a folder that no sink of files has opened yet.
 */
export function followFolder(folder: string, isWritable: (path: string) => boolean = canBeWritten): FollowedFolder {
  let connection: Connection | undefined = connect();
  let seen: unknown;

  function connect(): Connection {
    const state = readState(folder);
    const { database, isUnlocked } = openToRead(folder, isWritable);
    return {
      database,
      view: createView(folder, database),
      version: database.prepare("PRAGMA data_version"),
      isStill: () => !isUnlocked || readState(folder) === state,
    };
  }

  function find(): Connection {
    if (connection?.isStill() === false) close();
    if (connection === undefined) [connection, seen] = [connect(), undefined];
    return connection;
  }

  function close(): void {
    connection?.database.close();
    connection = undefined;
  }

  return {
    changed() {
      const now = find().version.get()?.data_version;
      const isChanged = now !== seen;
      seen = now;
      return isChanged;
    },
    read(work) {
      for (let attempt = 1;; attempt++) {
        const { database, view, isStill } = find();
        try {
          const result = inSnapshot(database, () => work(view));
          if (isStill()) return result;
        } catch (error) {
          if (isStill()) throw error;
        }
        if (attempt === MAX_ATTEMPTS) throw buildFolderError(folder, new Error("somebody writes to it all the time"));
      }
    },
    close,
  };
}

/** An open database. */
interface Connection {
  readonly database: DatabaseSync;
  readonly view: FolderView;
  readonly version: StatementSync;
  /** Returns whether its reads can be relied on: without locks, SQLite doesn't notice who writes. */
  readonly isStill: () => boolean;
}

function createView(folder: string, database: DatabaseSync): FolderView {
  const [files, batches, erasures] = [FILES, BATCHES, ERASURES].map((sql) => database.prepare(sql));
  const store = database.prepare("SELECT tail_from, tail_version FROM store");
  return {
    // The columns are those of the interfaces, each number and text as it is stored.
    files: () =>
      (files?.all() as unknown as readonly SealedFile[]).map((file) => ({
        ...file,
        path: toSealedPath(folder, file.number),
      })),
    tailFrom: () => Number(store.get()?.tail_from),
    tailVersion: () => Number(store.get()?.tail_version),
    batches: (from, most = -1) =>
      (batches?.all(from, most) ?? []).map(({ place, keyHash, texts }) => ({
        place: Number(place),
        keyHash: String(keyHash),
        texts: String(texts).split("\n"),
      })),
    erasures: (after) => {
      const read = (erasures?.all(after) ?? []).map(({ state, ...record }) => ({
        ...record as unknown as Erasure & { readonly change: number },
        isApplied: state === "applied",
      }));
      return after > 0 ? read : [...listNotTakenOver(folder, read), ...read];
    },
  };
}

/** Returns what changes with each write to a database or its log. */
function readState(folder: string): string {
  const files = [TAIL_NAME, `${TAIL_NAME}-wal`].map((name) => statSync(join(folder, name), { throwIfNoEntry: false }));
  return files.map((file) => `${file?.ino} ${file?.mtimeMs} ${file?.size}`).join(", ");
}

/** Returns the records that only the file has. */
function listNotTakenOver(folder: string, known: readonly Erasure[]): readonly FollowedErasure[] {
  const find = createFindErasure(known);
  return readRecords(folder)
    .filter(({ key, kind, id, erasedAt }) => (find(key, kind, id) ?? "") < erasedAt)
    .map((erasure) => ({ ...erasure, change: 0, isApplied: false }));
}

/**
 * Opens the database of a folder for reading. It locks no writer out.
 *
 * @throws {Error} Where there is no `node:sqlite`, and for a folder that no sink of files has opened yet.
 */
export function openReadOnly(folder: string, isWritable: (path: string) => boolean = canBeWritten): DatabaseSync {
  return openToRead(folder, isWritable).database;
}

/** A database that is open for reading. */
interface OpenToRead {
  readonly database: DatabaseSync;
  /** Whether it was opened without any lock. */
  readonly isUnlocked: boolean;
}

function openToRead(folder: string, isWritable: (path: string) => boolean): OpenToRead {
  const path = join(folder, TAIL_NAME);
  try {
    if (statSync(path, { throwIfNoEntry: false }) === undefined) throw new Error(`there is no ${TAIL_NAME}`);
    try {
      return { database: open(path), isUnlocked: false };
    } catch (error) {
      // A database with a log needs a file beside it for its locks.
      if (isWritable(path)) throw error;
      return { database: openUnlocked(path), isUnlocked: true };
    }
  } catch (cause) {
    throw buildFolderError(folder, cause);
  }
}

/** Opens a database that nobody can write, without any lock. */
function openUnlocked(path: string): DatabaseSync {
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new Error(
      `its ${TAIL_NAME}-wal has events, which can be read where the folder can be written: copy it there`,
    );
  }
  return open(`${pathToFileURL(path)}?immutable=1`);
}

function open(path: string): DatabaseSync {
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    if (!checkLayout(database)) throw new Error(`its ${TAIL_NAME} holds something else`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function canBeWritten(path: string): boolean {
  try {
    closeSync(openSync(path, "r+"));
    return true;
  } catch (error) {
    return !isNotWritable(error);
  }
}
