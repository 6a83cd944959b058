import process from "node:process";
import { createFileReader } from "../../../src/ingest/stores/file/file_reader.ts";
import { createFileSink } from "../../../src/ingest/stores/file/file_sink.ts";
import { hashKey } from "../../../src/ingest/platform/digest.ts";
import { FILE_EVENTS } from "../../../src/ingest/stores/file/file_events.ts";
import { followFolder } from "../../../src/ingest/stores/file/follow_folder.ts";
import { type SealedEvent, sealEvents } from "../../../src/ingest/stores/file/seal_events.ts";
import { findMedian } from "../statistics.ts";
import { generateVisits, type YearOptions } from "./generate_visits.ts";
import { measureViews, type ViewsOptions } from "./measure_views.ts";
import { storeYear } from "./store_year.ts";

/** What is measured. */
export interface FilesOptions extends Omit<YearOptions, "seed">, ViewsOptions {
  /** Folder that the events are stored in; it isn't there yet. */
  readonly folder: string;
  /** Events that are stored at a time. */
  readonly batchSize: number;
}

/** How often the sealing of a file is measured: the first time, the program isn't compiled yet. */
const SEALS = 5;

/** Between two looks at what is sealed, in milliseconds. */
const LOOK_MS = 200;

/** Microseconds of CPU that the process has taken. */
function readCpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function readResidentMb(): number {
  return Math.round(process.memoryUsage().rss / 1e6);
}

/** Prints what it takes to seal an event. */
async function measureSeal({ apiKey, lastDay }: FilesOptions): Promise<void> {
  const keyHash = await hashKey(apiKey);
  const visits = [...generateVisits({ events: FILE_EVENTS, lastDay, seed: 1 })];
  const events: readonly SealedEvent[] = visits.flat().map((event, index) => ({ ...event, keyHash, seq: index + 1 }));
  const took: number[] = [];
  let bytes = 0;
  for (let seal = 0; seal < SEALS; seal++) {
    const startUs = readCpuUs();
    bytes = (await sealEvents(events)).length;
    took.push((readCpuUs() - startUs) / events.length);
  }
  console.log(
    `sealed: ${(bytes / events.length).toFixed(1)} bytes and ${findMedian(took).toFixed(1)} us of CPU an event, ` +
      `${Math.min(...took).toFixed(1)} at best`,
  );
}

/** Stores a year, and waits until it is sealed but for the last events. */
async function store({ folder, ...options }: FilesOptions): Promise<void> {
  const sink = await createFileSink({ path: folder });
  await storeYear(sink, { ...options, seed: 1 });
  const follower = followFolder(folder);
  const countFiles = (): number => follower.read((view) => view.files().length);
  while (countFiles() < Math.floor(options.events / FILE_EVENTS) - 1) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  const files = countFiles();
  follower.close();
  await sink.close();
  let bytes = 0;
  for await (const { name, isFile } of Deno.readDir(folder)) {
    if (isFile) bytes += (await Deno.stat(`${folder}/${name}`)).size;
  }
  console.log(`stored ${options.events} events: ${files} files, ${(bytes / options.events).toFixed(1)} bytes an event`);
}

/** Stores a year in a folder, opens it, and asks for each view; prints what that takes, of the process with its threads. */
export async function measureFiles(options: FilesOptions): Promise<void> {
  await measureSeal(options);
  await store(options);
  const [startMs, startUs] = [performance.now(), readCpuUs()];
  const reader = createFileReader({ path: options.folder });
  await reader.sites(options.apiKey);
  const [openMs, openUs] = [performance.now() - startMs, readCpuUs() - startUs];
  console.log(
    `first answer after ${Math.round(openMs)} ms, ${
      Math.round(openUs / 1000)
    } ms of CPU; ${readResidentMb()} MB resident`,
  );
  await measureViews(reader, options);
  console.log(`${readResidentMb()} MB resident after all views`);
  await reader.close();
}
