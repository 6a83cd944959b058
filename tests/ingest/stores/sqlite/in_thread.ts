/**
 * The sink and the reader of SQLite within the thread of a test: that is quick, and coverage sees it. What their own
 * threads add is tested in sqlite_threads_test.ts.
 *
 * @module
 */
import { createDataCalls } from "../../../../src/ingest/stores/sqlite/worker/data_calls.ts";
import type { DataStore } from "../../../../src/ingest/ports/data_store.ts";
import type { ReportReader } from "../../../../src/ingest/ports/reader.ts";
import { openSqliteData } from "../../../../src/ingest/stores/sqlite/sqlite_data.ts";
import { createReaderCalls } from "../../../../src/ingest/stores/sqlite/worker/reader_calls.ts";
import { openSqliteReader } from "../../../../src/ingest/stores/sqlite/sqlite_reader.ts";
import { createSinkCalls } from "../../../../src/ingest/stores/sqlite/worker/sink_calls.ts";
import { openSqliteSink, type SqliteSink } from "../../../../src/ingest/stores/sqlite/sqlite_sink.ts";
import { openSqliteTail, type SqliteTailOptions } from "../../../../src/ingest/stores/sqlite/sqlite_tail.ts";
import type { EventTail } from "../../../../src/ingest/ports/event_tail.ts";
import type { Calls, Thread } from "../../../../src/ingest/threads/thread.ts";

/** As the one of the package. */
export function createSqliteSink({ path }: { readonly path: string }): Promise<SqliteSink> {
  return openSqliteSink(path, runHere(createSinkCalls()));
}

/** As the one of the package. */
export function createSqliteReader({ path }: { readonly path: string }): Promise<ReportReader> {
  return openSqliteReader(path, runHere(createReaderCalls()));
}

/** As the one of the package. */
export function createSqliteData({ path }: { readonly path: string }): DataStore {
  return openSqliteData(path, runHere(createDataCalls()));
}

/** As the one of the package. */
export function createSqliteTail(options: SqliteTailOptions): Promise<EventTail> {
  return openSqliteTail(options, runHere(createReaderCalls()));
}

function runHere<C extends Calls>(calls: C): Thread<C> {
  return {
    call: async (name, ...args) => {
      // As on its way to a thread: later, and copied.
      const copies = await Promise.resolve(structuredClone(args));
      return structuredClone(await calls[name]?.(...copies as never[])) as never;
    },
    end: () => Promise.resolve(),
  };
}

/** Does something with a folder of its own, which is removed afterwards. */
export async function withDirectory(use: (directory: string) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    await use(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}
