/**
 * The lock for writing, which the connections of a database file share.
 *
 * @module
 */
import type { DatabaseSync } from "node:sqlite";
import { describeError } from "./describe_error.ts";

/** Between two attempts to get the lock. */
const ATTEMPT_WAIT_MS = 1;

/** Where nothing ever wakes a thread that waits. */
const NEVER = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/**
 * Runs a statement that needs the lock, and waits for it as long as the connection's `busy_timeout` says. SQLite alone
 * asks ten times a second at last: a process with one short transaction after the other would keep all others away.
 *
 * @throws {Error} When the statement fails, or others had the lock all the time.
 */
export function runLocked(database: DatabaseSync, statement: string): void {
  const timeoutMs = Number(database.prepare("PRAGMA busy_timeout").get()?.timeout);
  const endMs = performance.now() + timeoutMs;
  database.exec("PRAGMA busy_timeout = 0");
  try {
    while (!tryToRun(database, statement, performance.now() >= endMs)) pause(ATTEMPT_WAIT_MS);
  } finally {
    database.exec(`PRAGMA busy_timeout = ${timeoutMs}`);
  }
}

/** Does something in a transaction that has the lock from its beginning: a later upgrade could fail halfway. */
export function inTransaction<R>(database: DatabaseSync, work: () => R): R {
  runLocked(database, "BEGIN IMMEDIATE");
  return finish(database, work);
}

/** Reads in a transaction without the lock: what it sees is of one moment. */
export function inSnapshot<R>(database: DatabaseSync, read: () => R): R {
  database.exec("BEGIN");
  return finish(database, read);
}

/** Ends a transaction, whatever comes of the work in it: one that stays open would keep the connection from any other. */
function finish<R>(database: DatabaseSync, work: () => R): R {
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    try {
      database.exec("ROLLBACK");
    } catch {
      // SQLite has rolled it back by itself, as after a full disk.
    }
    throw error;
  }
}

/** Returns whether an error, or its message, says that another connection has the lock, which says nothing of what comes next. */
export function isLocked(error: unknown): boolean {
  return /locked|busy/.test(describeError(error));
}

/** Copies the log into the file and empties it; returns whether nobody was in the way, who is not waited for. */
export function emptyLog(database: DatabaseSync): boolean {
  const timeoutMs = Number(database.prepare("PRAGMA busy_timeout").get()?.timeout);
  database.exec("PRAGMA busy_timeout = 0");
  try {
    return Number(database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy) === 0;
  } finally {
    database.exec(`PRAGMA busy_timeout = ${timeoutMs}`);
  }
}

/** Leaves the thread idle for a while. */
export function pause(durationMs: number): void {
  Atomics.wait(NEVER, 0, 0, durationMs);
}

/** Returns whether it ran; throws what another attempt wouldn't change, and the last time anything. */
function tryToRun(database: DatabaseSync, statement: string, isLast: boolean): boolean {
  try {
    database.exec(statement);
    return true;
  } catch (error) {
    if (isLast || !isLocked(error)) throw error;
    return false;
  }
}
