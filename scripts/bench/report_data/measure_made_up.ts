import process from "node:process";
import { createSqliteReader } from "../../../src/ingest/stores/sqlite/sqlite_reader.ts";
import { createSqliteSink } from "../../../src/ingest/stores/sqlite/sqlite_sink.ts";
import { makeUp } from "./make_up.ts";
import { type StoreOptions, storeYear } from "./store_year.ts";

/** What made-up texts may cost, of what as many ordinary events do. */
const [MAX_BYTES_RATIO, MAX_TIME_RATIO] = [2, 3] as const;

/** Databases of as many events. */
export interface MadeUp {
  /** Path of the one with ordinary events. */
  readonly ordinary: string;
  /** Path of the one whose events share no text. */
  readonly madeUp: string;
  /** Whether the one is large and slow beside the other only as far as it may be. */
  readonly isWithin: boolean;
}

/**
 * Stores a year, and the same year with made-up texts, each until all of it is counted, and prints how many bytes and how much
 * time an event takes. The time is the processor's: other processes don't count.
 */
export async function measureMadeUp(
  directory: string,
  options: Omit<StoreOptions, "change" | "seed">,
): Promise<MadeUp> {
  const [ordinary, madeUp] = [`${directory}/ordinary.sqlite`, `${directory}/made_up.sqlite`];
  const before = await store(ordinary, { ...options, seed: 1 });
  const after = await store(madeUp, { ...options, seed: 1, change: makeUp });
  const [bytesRatio, timeRatio] = [after.bytes / before.bytes, after.timeMs / before.timeMs];
  const write = ({ bytes, timeMs }: Cost): string =>
    `${Math.round(bytes / options.events)} B and ${Math.round(timeMs * 1000 / options.events)} us an event`;
  console.log(
    `${options.events} ordinary events: ${write(before)}; made-up ones: ${write(after)}, ` +
      `${bytesRatio.toFixed(2)} times the bytes, ${timeRatio.toFixed(2)} times the time`,
  );
  return { ordinary, madeUp, isWithin: bytesRatio <= MAX_BYTES_RATIO && timeRatio <= MAX_TIME_RATIO };
}

interface Cost {
  readonly bytes: number;
  readonly timeMs: number;
}

async function store(path: string, options: StoreOptions): Promise<Cost> {
  const begin = process.cpuUsage();
  const sink = await createSqliteSink({ path });
  await storeYear(sink, options);
  const reader = await createSqliteReader({ path });
  while (await reader.progress() < 1);
  await reader.close();
  await sink.close();
  const { user, system } = process.cpuUsage(begin);
  return { bytes: (await Deno.stat(path)).size, timeMs: (user + system) / 1000 };
}
