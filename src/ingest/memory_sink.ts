import type { EventSink, ReceivedBatch, StoredEvent, StoreResult } from "./sink.ts";

/** A sink that keeps events for the life of the process. */
export interface MemorySink extends EventSink {
  /** Stores a batch; rejects only once the sink is closed. */
  store(batch: ReceivedBatch): Promise<StoreResult>;
  /** Returns every stored event in the order of arrival, also after `close()`. */
  events(): Promise<readonly StoredEvent[]>;
}

/** Creates a sink for tests and demonstrations. It grows without bound: nothing is ever forgotten. */
export function createMemorySink(): MemorySink {
  const stored: StoredEvent[] = [];
  const idsByKey = new Map<string, Set<string>>();
  let isClosed = false;

  function storeAll(apiKey: string, events: readonly StoredEvent[]): readonly StoredEvent[] {
    const ids = idsByKey.get(apiKey) ?? new Set<string>();
    idsByKey.set(apiKey, ids);
    const accepted = events.filter(({ id }) => !ids.has(id) && ids.add(id));
    stored.push(...accepted);
    return accepted;
  }

  return {
    store: ({ apiKey, events }) => {
      if (isClosed) return Promise.reject(new Error("the memory sink is closed"));
      const accepted = storeAll(apiKey, events);
      return Promise.resolve({
        accepted: accepted.length,
        duplicates: events.length - accepted.length,
        events: accepted,
      });
    },
    check: () => isClosed ? Promise.reject(new Error("the memory sink is closed")) : Promise.resolve(),
    events: () => Promise.resolve([...stored]),
    close: () => {
      isClosed = true;
      return Promise.resolve();
    },
  };
}
