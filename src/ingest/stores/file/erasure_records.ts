/**
 * The records of erasures of a folder: in the database of its tail, where they hold for every process that writes, and in a
 * file beside it, which outlives a database that is replaced by its backup.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { readFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { describeError } from "../../platform/describe_error.ts";
import { syncDirectory } from "../../platform/sync_directory.ts";
import { writeLike } from "../../platform/write_like.ts";
import {
  createFindErasure,
  createOwnerHashes,
  type Erasure,
  type EventOwner,
  type FindErasure,
  formatErasures,
  isBefore,
  isErased,
  type OwnerHashes,
  parseErasures,
} from "../../events/erasures.ts";
import { inTransaction } from "../../platform/sqlite_lock.ts";
import { TAIL_NAME } from "./tail_schema.ts";

/** The records of a folder. */
export interface ErasureRecords {
  /** Hashes of keys and of ids. */
  readonly hashes: OwnerHashes;
  /** Returns whether a record is of a key, which is given by its hash. */
  hasKey(keyHash: string): boolean;
  /** Reads the records as of now: the function says whether one of them names an event. Call it in a transaction. */
  read(): (event: EventOwner) => boolean;
  /** Returns the time of the newest record; undefined where there is none. */
  newest(): string | undefined;
  /** Returns how often a record was kept: whether the records are still those of before. */
  lastChange(): number;
  /** Keeps records, in the file first. They hold from now on for what arrives. */
  keep(erasures: readonly Erasure[]): void;
  /** Returns the records whose events may still be stored: of a database that was restored, or left by who erased. */
  listPending(): readonly Erasure[];
  /** Notes that the events of the records are gone. */
  finish(erasures: readonly Erasure[]): void;
  /** Has the events of all records looked for again: some may be back. */
  reopen(): void;
  /** Forgets the records of before that time, whose events are gone, unless it is only a try; returns how many. */
  forget(before: string, isTry: boolean): number;
}

/** Milliseconds that an erasure may be under way before another process takes it over. */
const ERASING_MS = 60 * 60 * 1000;

/** Name of the file with the records. */
export const ERASURES_NAME = "erasures" as const;

const SELECT = "SELECT key_hash AS key, kind, id_hash AS id, erased_at AS erasedAt FROM erasure";

const FIND = "SELECT erased_at FROM erasure WHERE key_hash = ? AND kind = ? AND id_hash = ?";

const KEEP = `
  INSERT INTO erasure (key_hash, kind, id_hash, erased_at, state, change)
  VALUES (?, ?, ?, ?, ?, (SELECT last_change FROM store))
  ON CONFLICT (key_hash, kind, id_hash) DO UPDATE
  SET erased_at = excluded.erased_at, state = excluded.state, change = excluded.change
  WHERE excluded.erased_at > erased_at
`;

const LAST_CHANGE = "SELECT last_change FROM store";

const PENDING = `${SELECT} WHERE state <> 'applied' AND (state = 'open' OR erased_at < ?)`;

const FINISH = "UPDATE erasure SET state = 'applied' WHERE key_hash = ? AND kind = ? AND id_hash = ? AND erased_at = ?";

const REOPEN = "UPDATE erasure SET state = 'open' WHERE state = 'applied'";

const OLD = "erased_at < ? AND state = 'applied'";

/** Creates the hashes of records. */
export function createHashes(): OwnerHashes {
  return createOwnerHashes((text) => createHash("sha256").update(text).digest("hex"));
}

/**
 * Opens the records of a database, and takes those over that only the file has: the database may be a backup. For who only reads,
 * they hold without that.
 *
 * @throws {Error} For a file that can't be read.
 */
export function openErasureRecords(
  database: DatabaseSync,
  folder: string,
  { isReadOnly = false }: { readonly isReadOnly?: boolean } = {},
): ErasureRecords {
  const hashes = createHashes();
  const statements = {
    find: database.prepare(FIND),
    ofKey: database.prepare("SELECT 1 FROM erasure WHERE key_hash = ? LIMIT 1"),
    keep: database.prepare(KEEP),
    count: database.prepare("UPDATE store SET last_change = last_change + 1"),
    lastChange: database.prepare(LAST_CHANGE),
    newest: database.prepare("SELECT max(erased_at) AS time FROM erasure"),
    pending: database.prepare(PENDING),
    finish: database.prepare(FINISH),
    reopen: database.prepare(REOPEN),
    forget: database.prepare(`DELETE FROM erasure WHERE ${OLD}`),
    countOld: database.prepare(`SELECT count(*) AS count FROM erasure WHERE ${OLD}`),
    select: database.prepare(SELECT),
  };

  function findStored(...of: Parameters<FindErasure>): string | undefined {
    const row = statements.find.get(...of);
    return row === undefined ? undefined : String(row.erased_at);
  }

  function isMissing({ key, kind, id, erasedAt }: Erasure): boolean {
    return (findStored(key, kind, id) ?? "") < erasedAt;
  }

  function keep({ key, kind, id, erasedAt }: Erasure, state: "open" | "erasing"): void {
    statements.count.run();
    statements.keep.run(key, kind, id, erasedAt, state);
  }

  function takeOver(): void {
    const missing = readRecords(folder).filter(isMissing);
    for (const erasure of missing) keep(erasure, "open");
  }

  function write(): void {
    writeRecords(folder, readRows(statements.select));
  }

  /** Returns whether the file lacks a record: a database that is restored later wouldn't know of it. */
  function isFileShort(records: readonly Erasure[]): boolean {
    const findInFile = createFindErasure(records);
    const isInFile = ({ key, kind, id, erasedAt }: Erasure): boolean => (findInFile(key, kind, id) ?? "") >= erasedAt;
    return !readRows(statements.select).every(isInFile);
  }

  const records = readRecords(folder);
  /** Those that aren't taken over: newer than what is stored of the same ID. */
  const others = isReadOnly ? records.filter(isMissing) : [];
  const findOther = createFindErasure(others);
  const find: FindErasure = (...of) => findOther(...of) ?? findStored(...of);
  const findNewest = (): string | undefined => {
    const stored = statements.newest.get()?.time;
    const times = [...others.map(({ erasedAt }) => erasedAt), ...(typeof stored === "string" ? [stored] : [])];
    return times.toSorted().at(-1);
  };

  if (!isReadOnly && records.some(isMissing)) inTransaction(database, takeOver);
  if (!isReadOnly && isFileShort(records)) {
    inTransaction(database, () => {
      takeOver();
      write();
    });
  }

  return {
    hashes,
    hasKey: (keyHash) => statements.ofKey.get(keyHash) !== undefined,
    read: () => {
      const newest = findNewest();
      // Mostly, all that arrives is newer than the last erasure.
      if (newest === undefined) return () => false;
      return (event) => isBefore(event, newest) && isErased(event, hashes, find);
    },
    newest: findNewest,
    lastChange: () => Number(statements.lastChange.get()?.last_change),
    keep: (erasures) =>
      inTransaction(database, () => {
        takeOver();
        for (const erasure of erasures) keep(erasure, "erasing");
        write();
      }),
    listPending: () => readRows(statements.pending, new Date(Date.now() - ERASING_MS).toISOString()),
    finish: (erasures) =>
      inTransaction(database, () => {
        for (const { key, kind, id, erasedAt } of erasures) statements.finish.run(key, kind, id, erasedAt);
      }),
    reopen: () => inTransaction(database, () => void statements.reopen.run()),
    forget: (before, isTry) =>
      inTransaction(database, () => {
        if (isTry) return Number(statements.countOld.get(before)?.count);
        takeOver();
        const { changes } = statements.forget.run(before);
        if (changes > 0) write();
        return Number(changes);
      }),
  };
}

function readRows(statement: StatementSync, ...values: readonly string[]): readonly Erasure[] {
  // The columns are those of the record, each text.
  return statement.all(...values) as unknown as readonly Erasure[];
}

/**
 * Reads the records of the file.
 *
 * @throws {Error} For a file that can't be read.
 */
export function readRecords(folder: string): readonly Erasure[] {
  const file = join(folder, ERASURES_NAME);
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return [];
  try {
    return parseErasures(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new Error(`the erasures ${JSON.stringify(file)} can't be read: ${describeError(cause)}`, { cause });
  }
}

/** Replaces the file as a whole. The lock of the database keeps it apart from who does the same. */
function writeRecords(folder: string, erasures: readonly Erasure[]): void {
  const file = join(folder, ERASURES_NAME);
  const draft = `${file}.new`;
  writeLike(join(folder, TAIL_NAME), { path: draft, data: formatErasures(erasures) });
  renameSync(draft, file);
  syncDirectory(folder);
}
