import type { EventSink, StoredEvent } from "../../../src/ingest/mod.ts";
import { openFileSink } from "../../../src/ingest/stores/file/file_sink.ts";
import { startThread } from "../../../src/ingest/threads/thread.ts";
import { generateVisits, type YearOptions } from "./generate_visits.ts";

/** Options of {@linkcode storeYear}. */
export interface StoreOptions extends YearOptions {
  /** Publishable key that the events are stored under. */
  readonly apiKey: string;
  /** Events per `store()`. */
  readonly batchSize: number;
}

/** Time that storing took. */
export interface StoreTimes {
  /** Number of events. */
  readonly events: number;
  /** Time spent in the sink, in milliseconds; making the events up isn't counted. */
  readonly storeMs: number;
}

/** Stores a made-up year, batch by batch. */
export async function storeYear(sink: EventSink, options: StoreOptions): Promise<StoreTimes> {
  const { apiKey, batchSize } = options;
  const pending: StoredEvent[] = [];
  let stored = 0;
  let storeMs = 0;

  async function flush(size: number): Promise<void> {
    while (pending.length >= size && pending.length > 0) {
      const events = pending.splice(0, batchSize);
      const startMs = performance.now();
      await sink.store({ apiKey, events });
      storeMs += performance.now() - startMs;
      stored += events.length;
    }
  }

  for (const visit of generateVisits(options)) {
    pending.push(...visit);
    await flush(batchSize);
  }
  await flush(1);
  return { events: stored, storeMs };
}

/** Stores a made-up year in a folder, which has it as after a midnight: in sealed files. */
export async function storeYearSealed(folder: string, options: StoreOptions): Promise<StoreTimes> {
  const upkeep = startThread();
  const sink = await openFileSink({ path: folder }, { store: startThread(), upkeep });
  const times = await storeYear(sink, options);
  await upkeep.call("upkeepRun");
  await sink.close();
  return times;
}
