import type { ReceivedBatch, StoreResult } from "../../events/received_batch.ts";
import { isPageview, monthOf, type StoredEvent } from "../../events/stored_event.ts";
import type { EventSink } from "../../ports/sink.ts";

/** A sink that keeps events for the life of the process. */
export interface MemorySink extends EventSink {
  /** Stores a batch; rejects only once the sink is closed. */
  store(batch: ReceivedBatch): Promise<StoreResult>;
  /** Returns every stored event in the order of arrival, also after `close()`. */
  events(): Promise<readonly StoredEvent[]>;
  /** Returns how many pageviews of a key arrived in a month in UTC, `2026-01`. */
  pageviews(apiKey: string, month: string): Promise<number>;
}

/** State of a key. */
interface KeyRecord {
  readonly ids: Set<string>;
  readonly pageviewsByMonth: Map<string, number>;
}

/** Creates a sink for tests and demonstrations. It grows without bound: nothing is ever forgotten. */
export function createMemorySink(): MemorySink {
  const stored: StoredEvent[] = [];
  const records = new Map<string, KeyRecord>();
  let isClosed = false;

  function storeAll({ apiKey, events }: ReceivedBatch): StoreResult {
    const record = records.get(apiKey) ?? { ids: new Set(), pageviewsByMonth: new Map() };
    records.set(apiKey, record);
    const { ids } = record;
    const accepted = events.filter(({ id }) => {
      const known = ids.size;
      return ids.add(id).size > known;
    });
    for (const event of accepted) stored.push(event);
    const counts = { accepted: accepted.length, duplicates: events.length - accepted.length, events: accepted };
    const pageviews = accepted.filter(isPageview);
    return pageviews[0] === undefined
      ? counts
      : { ...counts, pageviewsThisMonth: addPageviews(record, monthOf(pageviews[0].receivedAt), pageviews.length) };
  }

  return {
    store: (batch) =>
      isClosed ? Promise.reject(new Error("the memory sink is closed")) : Promise.resolve(storeAll(batch)),
    check: () => isClosed ? Promise.reject(new Error("the memory sink is closed")) : Promise.resolve(),
    events: () => Promise.resolve([...stored]),
    pageviews: (apiKey, month) => Promise.resolve(records.get(apiKey)?.pageviewsByMonth.get(month) ?? 0),
    close: () => {
      isClosed = true;
      return Promise.resolve();
    },
  };
}

function addPageviews({ pageviewsByMonth }: KeyRecord, month: string, count: number): number {
  const sum = (pageviewsByMonth.get(month) ?? 0) + count;
  pageviewsByMonth.set(month, sum);
  return sum;
}
