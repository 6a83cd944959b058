import { createReadStream } from "node:fs";
import { command, type IngestProcessOptions } from "../../../tests/cluster/ingest_process.ts";

/** What is exported. */
export interface ExportOptions {
  /** What runs the program: Deno, unless told otherwise. */
  readonly program?: IngestProcessOptions;
  /** Flags that say which store. */
  readonly args: readonly string[];
  /** Flags of each export, where it takes several; one of everything unless told otherwise. */
  readonly ranges?: readonly (readonly string[])[];
  /** Folder for the files. */
  readonly directory: string;
  /** How many events the store has. */
  readonly events: number;
  /** Name of the store, for what is printed. */
  readonly name: string;
}

/** What the export of a million events may take, in milliseconds. */
const LIMIT_MS = 60_000;

const LIMIT_EVENTS = 1_000_000;

/** Between two looks at the memory of the process. */
const LOOK_MS = 100;

/** Exports all events by the program in each format, prints what it took, and returns whether that is within the limit. */
export async function measureExport(options: ExportOptions): Promise<boolean> {
  const { name, events } = options;
  const limitMs = LIMIT_MS * Math.max(1, events / LIMIT_EVENTS);
  let isWithin = true;
  for (const format of ["jsonl", "csv", "parquet"]) {
    const parts: Exported[] = [];
    for (const range of options.ranges ?? [[]]) parts.push(await exportPart(format, range, options));
    const sum = (field: keyof Exported): number => parts.reduce((total, part) => total + part[field], 0);
    if (sum("events") !== events) throw new Error(`${sum("events")} of ${events} events were exported`);
    const peakBytes = Math.max(...parts.map((part) => part.peakBytes));
    console.log(
      `${format} from ${name}: ${events.toLocaleString("en")} events in ${(sum("tookMs") / 1000).toFixed(1)} s, ` +
        `${Math.round(sum("bytes") / 1e6)} MB, ${Math.round(peakBytes / 1e6)} MB of memory at most`,
    );
    if (sum("tookMs") > limitMs) isWithin = false;
  }
  if (!isWithin) console.error(`a million events may take ${LIMIT_MS / 1000} s`);
  return isWithin;
}

/** What became of one export. */
interface Exported {
  readonly events: number;
  readonly bytes: number;
  readonly tookMs: number;
  readonly peakBytes: number;
}

async function exportPart(
  format: string,
  range: readonly string[],
  { program = {}, args, directory }: ExportOptions,
): Promise<Exported> {
  const path = `${directory}/all.${format}`;
  const startMs = performance.now();
  const all = ["data", "export", "--all", "--format", format, "--out", path];
  const child = command([...all, ...range, ...args], program).spawn();
  const memory = watchMemory(child.pid);
  const { code, stderr } = await child.output();
  const tookMs = performance.now() - startMs;
  const peakBytes = memory.stop();
  const note = new TextDecoder().decode(stderr).trim();
  const events = Number(/^ingest: exported (\d+) events$/.exec(note)?.[1]);
  if (code !== 0 || Number.isNaN(events)) throw new Error(`the export ended with ${code}: ${note}`);
  // CSV has a line of names; what Parquet holds is the program's word.
  const lines = format === "parquet" ? events : await countLines(path) - Number(format === "csv");
  if (lines !== events) throw new Error(`the file has ${lines} of ${events} events`);
  const { size } = await Deno.stat(path);
  await Deno.remove(path);
  return { events, bytes: size, tookMs, peakBytes };
}

/** Watches the resident memory of a process; `stop()` returns its peak in bytes, 0 where the system doesn't tell. */
function watchMemory(pid: number): { readonly stop: () => number } {
  let peakBytes = 0;
  const timer = setInterval(() => {
    try {
      const [, kilobytes = "0"] = /^VmHWM:\s+(\d+) kB$/m.exec(Deno.readTextFileSync(`/proc/${pid}/status`)) ?? [];
      peakBytes = Math.max(peakBytes, Number(kilobytes) * 1024);
    } catch {
      // It has ended, or the system has no such file.
    }
  }, LOOK_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return peakBytes;
    },
  };
}

async function countLines(path: string): Promise<number> {
  let lines = 0;
  for await (const chunk of createReadStream(path)) {
    for (const byte of chunk as Uint8Array) if (byte === 0x0a) lines += 1;
  }
  return lines;
}
