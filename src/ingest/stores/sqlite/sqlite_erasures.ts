/**
 * The records of erasures in the SQLite store: in the database, where they hold for every process that writes, and in a
 * file beside it, which outlives a database that is replaced by its backup.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { readFileSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
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
  toErasuresPath,
} from "../../events/erasures.ts";
import { inTransaction } from "../../platform/sqlite_lock.ts";
import { isFile } from "./sqlite_path.ts";

/** The records of a database. */
export interface SqliteErasures {
  /** Returns the hash of a publishable key. */
  hashKey(apiKey: string): string;
  /** Returns whether a record is of a key, which is given by its hash. */
  hasKey(keyHash: string): boolean;
  /** Reads the records as of now: the function says whether one of them names an event. Call it in a transaction. */
  read(): (event: EventOwner) => boolean;
  /** Finds the time of an erasure. */
  readonly find: FindErasure;
  /** Keeps records, in the file first. They hold from now on for what arrives. */
  keep(erasures: readonly Erasure[]): void;
  /** Returns the records whose events may still be stored: of a database that was restored, or left by who erased. */
  listPending(): readonly Erasure[];
  /** Notes that the events of the records are gone. */
  finish(erasures: readonly Erasure[]): void;
  /** Forgets the records of before that time, whose events are gone, unless it is only a try; returns how many. */
  forget(before: string, isTry: boolean): number;
}

/** How long somebody who erases is left alone with it; who takes longer is gone. */
const ERASING_MS = 60 * 60 * 1000;

// A record is `open` when it came from the file, `erasing` while somebody is at it, then `applied`.
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS erasures (
    key_hash TEXT NOT NULL,
    kind TEXT NOT NULL,
    id_hash TEXT NOT NULL,
    erased_at TEXT NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (key_hash, kind, id_hash)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS erasures_by_time ON erasures (erased_at);
  CREATE INDEX IF NOT EXISTS erasures_to_apply ON erasures (state) WHERE state <> 'applied';
`;

const HAS_TABLE = "SELECT 1 FROM sqlite_schema WHERE name = 'erasures_to_apply'";

const SELECT = "SELECT key_hash AS key, kind, id_hash AS id, erased_at AS erasedAt FROM erasures";

const FIND = "SELECT erased_at FROM erasures WHERE key_hash = ? AND kind = ? AND id_hash = ?";

const KEEP = `
  INSERT INTO erasures (key_hash, kind, id_hash, erased_at, state) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (key_hash, kind, id_hash) DO UPDATE SET erased_at = excluded.erased_at, state = excluded.state
  WHERE excluded.erased_at > erased_at
`;

const PENDING = `${SELECT} WHERE state <> 'applied' AND (state = 'open' OR erased_at < ?)`;

const FINISH =
  "UPDATE erasures SET state = 'applied' WHERE key_hash = ? AND kind = ? AND id_hash = ? AND erased_at = ?";

const OLD = "erased_at < ? AND state = 'applied'";

/** Creates the hashes of records. */
export function createHashes(): OwnerHashes {
  return createOwnerHashes((text) => createHash("sha256").update(text).digest("hex"));
}

/**
 * Opens the records of a database, and takes those over that only the file has: the database may be a backup.
 *
 * @throws {Error} For a file that can't be read.
 */
export function openErasures(database: DatabaseSync, path: string): SqliteErasures {
  if (database.prepare(HAS_TABLE).get() === undefined) inTransaction(database, () => database.exec(SCHEMA));
  const hashes = createHashes();
  const statements = {
    find: database.prepare(FIND),
    ofKey: database.prepare("SELECT 1 FROM erasures WHERE key_hash = ? LIMIT 1"),
    keep: database.prepare(KEEP),
    newest: database.prepare("SELECT max(erased_at) AS time FROM erasures"),
    pending: database.prepare(PENDING),
    finish: database.prepare(FINISH),
    forget: database.prepare(`DELETE FROM erasures WHERE ${OLD}`),
    countOld: database.prepare(`SELECT count(*) AS count FROM erasures WHERE ${OLD}`),
    select: database.prepare(SELECT),
  };

  function find(...of: Parameters<FindErasure>): string | undefined {
    const row = statements.find.get(...of);
    return row === undefined ? undefined : String(row.erased_at);
  }

  function isMissing({ key, kind, id, erasedAt }: Erasure): boolean {
    return (find(key, kind, id) ?? "") < erasedAt;
  }

  function takeOver(): void {
    const missing = readRecords(path).filter(isMissing);
    for (const { key, kind, id, erasedAt } of missing) statements.keep.run(key, kind, id, erasedAt, "open");
  }

  function write(): void {
    writeRecords(path, readRows(statements.select));
  }

  /** Returns whether the file lacks a record: a database that is restored later wouldn't know of it. */
  function isFileShort(records: readonly Erasure[]): boolean {
    const findInFile = createFindErasure(records);
    const isInFile = ({ key, kind, id, erasedAt }: Erasure): boolean => (findInFile(key, kind, id) ?? "") >= erasedAt;
    return isFile(path) && !readRows(statements.select).every(isInFile);
  }

  const records = readRecords(path);
  if (records.some(isMissing)) inTransaction(database, takeOver);
  if (isFileShort(records)) {
    inTransaction(database, () => {
      takeOver();
      write();
    });
  }

  return {
    hashKey: hashes.key,
    hasKey: (keyHash) => statements.ofKey.get(keyHash) !== undefined,
    read: () => {
      const newest = statements.newest.get()?.time;
      // Mostly, all that arrives is newer than the last erasure.
      if (typeof newest !== "string") return () => false;
      return (event) => isBefore(event, newest) && isErased(event, hashes, find);
    },
    find,
    keep: (erasures) =>
      inTransaction(database, () => {
        takeOver();
        for (const { key, kind, id, erasedAt } of erasures) statements.keep.run(key, kind, id, erasedAt, "erasing");
        write();
      }),
    listPending: () => readRows(statements.pending, new Date(Date.now() - ERASING_MS).toISOString()),
    finish: (erasures) =>
      inTransaction(database, () => {
        for (const { key, kind, id, erasedAt } of erasures) statements.finish.run(key, kind, id, erasedAt);
      }),
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

function readRecords(path: string): readonly Erasure[] {
  const file = toErasuresPath(path);
  if (!isFile(path) || statSync(file, { throwIfNoEntry: false }) === undefined) return [];
  try {
    return parseErasures(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new Error(`the erasures ${JSON.stringify(file)} can't be read: ${describeError(cause)}`, { cause });
  }
}

/** Replaces the file as a whole. The lock of the database keeps it apart from who does the same. */
function writeRecords(path: string, erasures: readonly Erasure[]): void {
  if (!isFile(path)) return;
  const file = toErasuresPath(path);
  const draft = `${file}.new`;
  writeLike(path, { path: draft, data: formatErasures(erasures) });
  renameSync(draft, file);
  syncDirectory(dirname(file));
}
