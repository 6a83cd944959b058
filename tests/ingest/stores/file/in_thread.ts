/**
 * The sink of files within the thread of a test: that is quick, and coverage sees it. What threads of their own add is tested
 * where the program runs.
 *
 * @module
 */
import { type FileSink, type FileSinkOptions, openFileSink } from "../../../../src/ingest/stores/file/file_sink.ts";
import { openFileData } from "../../../../src/ingest/stores/file/file_data.ts";
import type { ReportReader } from "../../../../src/ingest/ports/reader.ts";
import { createReferenceStore } from "../../reports/reference_store.ts";
import type { DataStore } from "../../../../src/ingest/ports/data_store.ts";
import { type FileTailOptions, openFileTail } from "../../../../src/ingest/stores/file/file_tail.ts";
import type { EventTail } from "../../../../src/ingest/ports/event_tail.ts";
import { createBackupCalls } from "../../../../src/ingest/stores/file/worker/backup_calls.ts";
import { createTailCalls } from "../../../../src/ingest/stores/file/worker/tail_calls.ts";
import { createDataCalls } from "../../../../src/ingest/stores/file/worker/data_calls.ts";
import { createSinkCalls } from "../../../../src/ingest/stores/file/worker/sink_calls.ts";
import { createUpkeepCalls } from "../../../../src/ingest/stores/file/worker/upkeep_calls.ts";
import type { Calls, Thread } from "../../../../src/ingest/threads/thread.ts";

/** As the one of the package. */
export function createFileSink(options: FileSinkOptions & { readonly fileEvents?: number }): Promise<FileSink> {
  return openFileSink(options, { store: runHere(createSinkCalls()), upkeep: runHere(createUpkeepCalls()) });
}

/** As the one of the package. */
export function createFileData({ path }: { readonly path: string }): DataStore {
  return openFileData(path, runHere(createDataCalls()));
}

/** As the one of the package. */
export function createFileTail(options: FileTailOptions): Promise<EventTail> {
  return openFileTail(options, runHere(createTailCalls()));
}

/** Copies a folder into another, which is made. */
export async function backUp(folder: string, copy: string): Promise<void> {
  await Deno.mkdir(copy);
  createBackupCalls().fileBackUp(folder, copy);
}

/** Returns the names of sealed files. */
export function listSealed(folder: string): readonly string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name.endsWith(".parquet")).toSorted();
}

/** Counts by reading all that a folder has: what it has is what is tested. */
export function createFileRecount(folder: string): ReportReader {
  const data = createFileData({ path: folder });
  const methods = createReferenceStore(() => []);
  const recount = async (name: keyof ReportReader, args: readonly unknown[]): Promise<unknown> => {
    const events = (await Array.fromAsync(data.exportAll({ apiKey: findKey(args[0]) }))).map(({ event }) => event);
    const method = createReferenceStore(() => events)[name] as (...args: readonly unknown[]) => unknown;
    return await method(...args);
  };
  return Object.fromEntries(
    Object.keys(methods).map((
      name,
    ) => [name, (...args: readonly unknown[]) => recount(name as keyof ReportReader, args)]),
  ) as unknown as ReportReader;
}

function findKey(query: unknown): string {
  return typeof query === "string" ? query : (query as { readonly apiKey: string }).apiKey;
}

/** Answers calls as a thread does: later, and with copies. */
export function runHere<C extends Calls>(calls: C): Thread<C> {
  return {
    call: async (name, ...args) => {
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
