import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { hashKey } from "../../../src/ingest/platform/digest.ts";
import { FILE_EVENTS } from "../../../src/ingest/stores/file/file_events.ts";
import { createFileReader } from "../../../src/ingest/stores/file/file_reader.ts";
import { toSealedPath } from "../../../src/ingest/stores/file/follow_folder.ts";
import { type SealedEvent, sealEvents } from "../../../src/ingest/stores/file/seal_events.ts";
import { prepareLayout, TAIL_NAME } from "../../../src/ingest/stores/file/tail_schema.ts";
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

/** Seals a year into a folder, and prints what an event takes. */
async function sealYear({ folder, apiKey, ...options }: FilesOptions): Promise<void> {
  const keyHash = await hashKey(apiKey);
  const database = new DatabaseSync(`${folder}/${TAIL_NAME}`);
  prepareLayout(database, 1);
  const register = database.prepare(
    `INSERT INTO file (number, from_place, until_place, events, bytes, version, removals, first_received_at, last_received_at)
    VALUES (?, ?, ?, ?, ?, 1, 0, 0, 0)`,
  );
  let pending: SealedEvent[] = [];
  let [seq, files, bytes, cpuUs] = [1, 0, 0, 0];

  async function seal(): Promise<void> {
    const startUs = readCpuUs();
    const file = await sealEvents(pending);
    cpuUs += readCpuUs() - startUs;
    bytes += file.length;
    files += 1;
    await Deno.writeFile(toSealedPath(folder, files), file);
    register.run(files, seq - pending.length, seq, pending.length, file.length);
    database.prepare("UPDATE store SET tail_from = ?").run(seq);
    pending = [];
  }

  for (const visit of generateVisits({ ...options, seed: 1 })) {
    pending.push(...visit.map((event) => ({ ...event, keyHash, seq: seq++ })));
    if (pending.length >= FILE_EVENTS) await seal();
  }
  if (pending.length > 0) await seal();
  database.close();
  const { events } = options;
  console.log(
    `sealed ${events} events into ${files} files: ${(bytes / events).toFixed(1)} bytes and ` +
      `${(cpuUs / events).toFixed(1)} us of CPU an event`,
  );
}

/** Seals a year, opens its files, and asks for each view; prints what it takes, of the process with all of its threads. */
export async function measureFiles(options: FilesOptions): Promise<void> {
  await sealYear(options);
  const [startMs, startUs] = [performance.now(), readCpuUs()];
  const reader = createFileReader({ path: options.folder });
  await reader.sites(options.apiKey);
  const [openMs, openUs] = [performance.now() - startMs, readCpuUs() - startUs];
  console.log(
    `opened in ${Math.round(openMs)} ms, ${Math.round(openUs / 1000)} ms of CPU; ${readResidentMb()} MB resident`,
  );
  await measureViews(reader, options);
  console.log(`${readResidentMb()} MB resident after all views`);
  await reader.close();
}
