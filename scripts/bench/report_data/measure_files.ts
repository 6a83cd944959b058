import process from "node:process";
import { hashKey } from "../../../src/ingest/platform/digest.ts";
import { openEventFiles } from "../../../src/ingest/stores/file/event_files.ts";
import { FILE_EVENTS, type SealedEvent, sealEvents } from "../../../src/ingest/stores/file/seal_events.ts";
import { generateVisits, type YearOptions } from "./generate_visits.ts";
import { measureViews, type ViewsOptions } from "./measure_views.ts";

/** What is measured. */
export interface FilesOptions extends Omit<YearOptions, "seed">, ViewsOptions {
  /** Folder for the files. */
  readonly folder: string;
}

/** Microseconds of CPU that the process has taken. */
function readCpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function readResidentMb(): number {
  return Math.round(process.memoryUsage().rss / 1e6);
}

/** Seals a year, opens its files, and asks for each view; prints what it takes, of the process with all of its threads. */
export async function measureFiles({ folder, apiKey, ...options }: FilesOptions): Promise<void> {
  const keyHash = await hashKey(apiKey);
  const files: string[] = [];
  let pending: SealedEvent[] = [];
  let [bytes, cpuUs] = [0, 0];

  async function seal(): Promise<void> {
    const startUs = readCpuUs();
    const file = await sealEvents(pending);
    cpuUs += readCpuUs() - startUs;
    bytes += file.length;
    const path = `${folder}/${String(files.length).padStart(6, "0")}.parquet`;
    await Deno.writeFile(path, file);
    files.push(path);
    pending = [];
  }

  for (const visit of generateVisits({ ...options, seed: 1 })) {
    pending.push(...visit.map((event) => ({ ...event, keyHash })));
    if (pending.length >= FILE_EVENTS) await seal();
  }
  if (pending.length > 0) await seal();
  const { events } = options;
  console.log(
    `sealed ${events} events into ${files.length} files: ${(bytes / events).toFixed(1)} bytes and ` +
      `${(cpuUs / events).toFixed(1)} us of CPU an event`,
  );

  const [startMs, startUs] = [performance.now(), readCpuUs()];
  const { reader } = await openEventFiles({ files, temporaryFolder: `${folder}/spilled` });
  const [openMs, openUs] = [performance.now() - startMs, readCpuUs() - startUs];
  console.log(
    `opened in ${Math.round(openMs)} ms, ${Math.round(openUs / 1000)} ms of CPU; ${readResidentMb()} MB resident`,
  );
  await measureViews(reader, { ...options, apiKey });
  console.log(`${readResidentMb()} MB resident after all views`);
  await reader.close();
}
