import type { DataStore, EventSink, StoredEvent } from "../../../src/ingest/mod.ts";
import type { DataSubject } from "../../../src/ingest/ports/data_store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** A sink that keeps events in arrays, and knows erasures and ages: what a store should hold after the same calls. */
export interface EventModel {
  /** Takes events. */
  readonly sink: EventSink;
  /** Takes them away. */
  readonly data: Pick<DataStore, "erase" | "prune">;
  /** Returns the keys that events came with. */
  keys(): readonly string[];
  /** Returns what is held of a key, in the order of arrival. */
  eventsOf(apiKey: string): readonly StoredEvent[];
}

/** Creates a model that holds nothing. */
export function createEventModel(): EventModel {
  const held = new Map<string, readonly StoredEvent[]>();
  const erasures: { readonly apiKey: string; readonly erasedMs: number; names(event: StoredEvent): boolean }[] = [];
  const eventsOf = (apiKey: string): readonly StoredEvent[] => held.get(apiKey) ?? [];
  const isErased = (apiKey: string, event: StoredEvent): boolean =>
    erasures.some((erasure) =>
      erasure.apiKey === apiKey && erasure.names(event) &&
      Math.min(Date.parse(event.timestamp), Date.parse(event.receivedAt)) <= erasure.erasedMs
    );

  function listRules(subject: DataSubject): readonly ((event: StoredEvent) => boolean)[] {
    if (!("userId" in subject)) return [({ identity }) => identity?.anonymousId === subject.anonymousId];
    const isTheirs = ({ identity }: StoredEvent): boolean => identity?.userId === subject.userId;
    if (!subject.withVisitors) return [isTheirs];
    const visitors = eventsOf(subject.apiKey).filter(isTheirs).flatMap(({ identity }) => identity?.anonymousId ?? []);
    return [
      isTheirs,
      ({ identity }) => identity?.userId === null && visitors.includes(identity.anonymousId ?? ""),
    ];
  }

  return {
    sink: {
      store({ apiKey, events }) {
        let accepted = 0;
        for (const event of events) {
          const before = eventsOf(apiKey);
          if (isErased(apiKey, event) || before.some(({ id }) => id === event.id)) continue;
          held.set(apiKey, [...before, event]);
          accepted += 1;
        }
        return Promise.resolve({ accepted, duplicates: events.length - accepted });
      },
      close: () => Promise.resolve(),
    },
    data: {
      erase(subject) {
        const { apiKey } = subject;
        const erasedMs = Date.now();
        erasures.push(...listRules(subject).map((names) => ({ apiKey, erasedMs, names })));
        const before = eventsOf(apiKey);
        held.set(apiKey, before.filter((event) => !isErased(apiKey, event)));
        return Promise.resolve({ events: before.length - eventsOf(apiKey).length, sessions: 0, visitors: 0 });
      },
      prune({ keepDays = Infinity }) {
        const oldestMs = Date.now() - keepDays * DAY_MS;
        let events = 0;
        for (const [apiKey, before] of held) {
          const kept = before.filter(({ receivedAt }) => Date.parse(receivedAt) >= oldestMs);
          events += before.length - kept.length;
          held.set(apiKey, kept);
        }
        return Promise.resolve({ events, corrected: 0, erasures: 0 });
      },
    },
    keys: () => [...held.keys()],
    eventsOf,
  };
}
