/**
 * A folder of events for tests, with its sink and its reader within the thread of the test. Files are small, so that sessions lie in
 * several of them.
 *
 * @module
 */
import type { DataStore, EventSink } from "../../../../src/ingest/mod.ts";
import type { ReportReader } from "../../../../src/ingest/ports/reader.ts";
import { createThreadReader } from "../../../../src/ingest/stores/file/file_reader.ts";
import { openFileSink } from "../../../../src/ingest/stores/file/file_sink.ts";
import { createFileReaderCalls } from "../../../../src/ingest/stores/file/worker/reader_calls.ts";
import { createSinkCalls } from "../../../../src/ingest/stores/file/worker/sink_calls.ts";
import { createUpkeepCalls } from "../../../../src/ingest/stores/file/worker/upkeep_calls.ts";
import { createFileData, runHere, withDirectory } from "./in_thread.ts";

/** Events of a file. */
const FILE_EVENTS = 40;

/** What the tests of stores use. */
export interface FileStore {
  readonly folder: string;
  readonly sink: EventSink;
  readonly reader: ReportReader;
  readonly data: DataStore;
  /** Waits until what is enough for a file is in one. */
  seal(): Promise<void>;
}

/** Creates the reader of a folder within the thread of the test. */
export function createReaderHere(folder: string, onError?: (error: Error) => void): ReportReader {
  return createThreadReader(folder, () => runHere(createFileReaderCalls()), onError && { onError });
}

/** Opens a store that holds nothing, and closes it after the test. */
export async function withFileStore(
  use: (store: FileStore) => Promise<void>,
  { fileEvents = FILE_EVENTS }: { readonly fileEvents?: number } = {},
): Promise<void> {
  await withDirectory(async (directory) => {
    const folder = `${directory}/events`;
    const [store, upkeep] = [runHere(createSinkCalls()), runHere(createUpkeepCalls())];
    const sink = await openFileSink({ path: folder, fileEvents }, { store, upkeep });
    const [reader, data] = [createReaderHere(folder), createFileData({ path: folder })];
    try {
      await use({ folder, sink, reader, data, seal: () => upkeep.call("upkeepRun") });
    } finally {
      await reader.close();
      await data.close();
      await sink.close();
    }
  });
}
