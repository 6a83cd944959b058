import { createFileReader } from "../../../src/ingest/stores/file/file_reader.ts";
import { createFileData } from "../../../src/ingest/stores/file/file_data.ts";
import { hashKey } from "../../../src/ingest/platform/digest.ts";
import { FILE_EVENTS } from "../../../src/ingest/stores/file/file_events.ts";
import { type SealedEvent, sealEvents } from "../../../src/ingest/stores/file/seal_events.ts";
import { generateVisits, type YearOptions } from "./generate_visits.ts";
import { measureViews, type ViewsOptions } from "./measure_views.ts";
import { readCpuMs, readResidentMb } from "./read_process.ts";

/** Options of {@linkcode measureFiles}. */
export interface FilesOptions extends Omit<YearOptions, "seed">, ViewsOptions {
  /** Folder with the year. */
  readonly folder: string;
}

/** A figure of a folder. */
export interface FolderFigure {
  readonly figure: string;
  readonly measured: string;
  /** Limit that the figure has to keep. */
  readonly asked: string;
}

/** Seals that are measured: during the first, the program isn't compiled yet. */
const SEALS = 5;

/** Milliseconds between two looks at memory. */
const LOOK_MS = 50;

/** Measures what it takes to seal an event. */
async function measureSeal({ apiKey, lastDay }: FilesOptions): Promise<readonly FolderFigure[]> {
  const keyHash = await hashKey(apiKey);
  const visits = [...generateVisits({ events: FILE_EVENTS, lastDay, seed: 1 })];
  const events: readonly SealedEvent[] = visits.flat().map((event, index) => ({ ...event, keyHash, seq: index + 1 }));
  const tookMs: number[] = [];
  let bytes = 0;
  for (let seal = 0; seal < SEALS; seal++) {
    const startMs = readCpuMs();
    bytes = (await sealEvents(events)).length;
    tookMs.push(readCpuMs() - startMs);
  }
  const leastUs = Math.min(...tookMs) / events.length * 1000;
  return [
    { figure: "an event, sealed", measured: `${Math.round(bytes / events.length)} bytes`, asked: "110 bytes" },
    { figure: "CPU to seal an event", measured: `${leastUs.toFixed(1)} \u00b5s`, asked: "12 \u00b5s" },
  ];
}

async function measureBytes(folder: string): Promise<number> {
  let bytes = 0;
  for await (const { name, isFile } of Deno.readDir(folder)) {
    if (isFile) bytes += (await Deno.stat(`${folder}/${name}`)).size;
  }
  return bytes;
}

/** Measures how a folder opens, and the memory of the process while all views are read. */
async function measureReader(options: FilesOptions): Promise<readonly FolderFigure[]> {
  const [startMs, startCpuMs] = [performance.now(), readCpuMs()];
  const reader = createFileReader({ path: options.folder });
  await reader.sites(options.apiKey);
  const [openMs, openCpuMs] = [performance.now() - startMs, readCpuMs() - startCpuMs];
  let mostMb = 0;
  const timer = setInterval(() => mostMb = Math.max(mostMb, readResidentMb()), LOOK_MS);
  await measureViews(reader, options);
  clearInterval(timer);
  await reader.close();
  const cpuUs = openCpuMs / options.events * 1000;
  return [
    { figure: "time to the first view", measured: `${(openMs / 1000).toFixed(1)} s`, asked: "3 s" },
    { figure: "CPU of the reader, an event", measured: `${cpuUs.toFixed(1)} \u00b5s`, asked: "5 \u00b5s" },
    { figure: "memory of the process under all views", measured: `${mostMb} MB`, asked: "500 MB" },
  ];
}

/** Measures the erasure of a visitor in the middle of the year. */
async function measureErasure({ folder, apiKey, ...options }: FilesOptions): Promise<FolderFigure> {
  const ids = [...generateVisits({ ...options, seed: 1 })].flat()
    .flatMap(({ identity }) => identity === undefined ? [] : [identity.anonymousId]);
  const data = createFileData({ path: folder });
  const startMs = readCpuMs();
  const { events } = await data.erase({ apiKey, anonymousId: ids[Math.floor(ids.length / 2)] ?? "" });
  const cpuS = (readCpuMs() - startMs) / 1000;
  await data.close();
  return { figure: `CPU to erase a visitor, here ${events} events`, measured: `${cpuS.toFixed(1)} s`, asked: "5 s" };
}

/** Opens a folder with a year, asks for each view, and erases a visitor. */
export async function measureFiles(options: FilesOptions): Promise<readonly FolderFigure[]> {
  const { folder, events } = options;
  const bytes = await measureBytes(folder);
  // First, since whatever else the process does takes memory.
  const ofReader = await measureReader(options);
  return [
    ...await measureSeal(options),
    { figure: "an event, in all of the folder", measured: `${Math.round(bytes / events)} bytes`, asked: "120 bytes" },
    ...ofReader,
    await measureErasure(options),
  ];
}
