import { startThread, type Thread } from "../threads/thread.ts";
import { createTurns } from "../threads/turns.ts";
import type { ReportReader } from "./reader.ts";
import type { ReaderCalls } from "./reader_calls.ts";
import { READER_PROGRAM } from "./reader_program.ts";

/** What {@linkcode createSqliteReader} takes. */
export interface SqliteReaderOptions {
  /** Path of the database file of a SQLite sink. */
  readonly path: string;
}

/** Reads the reports of a SQLite sink. */
export interface SqliteReader extends ReportReader {
  /** Closes the database. */
  close(): Promise<void>;
}

/** How long a read waits for those before it, in milliseconds; less than a proxy waits for an answer. */
const MAX_WAIT_MS = 20_000;

/**
 * Opens the database of a SQLite sink for reading, on a connection of its own: it sees what is committed, by any
 * process, and locks no writer out. A thread of its own reads, one thing at a time; what waits for 20 s rejects.
 *
 * @throws {Error} Where there is no `node:sqlite`, and for a file that no SQLite sink has opened yet.
 */
export async function createSqliteReader(options: SqliteReaderOptions): Promise<SqliteReader> {
  const thread = startThread<ReaderCalls>(READER_PROGRAM);
  try {
    return createReader(thread, await thread.call("find", options.path));
  } catch (error) {
    await thread.end();
    throw error;
  }
}

function createReader(thread: Thread<ReaderCalls>, path: string): SqliteReader {
  const turns = createTurns(MAX_WAIT_MS);
  return {
    sites: (...args) => turns.take(() => thread.call("sites", path, ...args)),
    read: (...args) => turns.take(() => thread.call("read", path, ...args)),
    readPath: (...args) => turns.take(() => thread.call("readPath", path, ...args)),
    countPageviews: (...args) => turns.take(() => thread.call("countPageviews", path, ...args)),
    readDay: (...args) => turns.take(() => thread.call("readDay", path, ...args)),
    close: () => thread.end(),
  };
}
