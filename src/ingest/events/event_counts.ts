import { createLocator, type EventFacts, LABEL_KINDS, type LabelKind, readFacts } from "./event_facts.ts";
import type { StoredEvent } from "./stored_event.ts";

/** A count of something on one day of one site. */
export interface CountRow {
  /** Origin of the pages; empty for events that name none. */
  readonly site: string;
  /** UTC day. */
  readonly day: string;
  /** What was counted: a path, a referrer, an event name, a session, visitor or user id, or a violation: its kind, a space, the name. */
  readonly label: string;
  /** How often among full events. */
  full: number;
  /** How often among aggregate pageviews. */
  aggregate: number;
}

/** Events counted by site, day and label. */
export interface EventCounts {
  /** Counts events. */
  add(events: readonly StoredEvent[]): void;
  /** Returns the counts of one kind. */
  rows(kind: LabelKind): Iterable<Readonly<CountRow>>;
}

/** Creates counts of no event. */
export function createEventCounts(): EventCounts {
  const counts: Record<LabelKind, Map<string, CountRow>> = {
    names: new Map(),
    paths: new Map(),
    referrers: new Map(),
    sessions: new Map(),
    visitors: new Map(),
    users: new Map(),
    violations: new Map(),
  };

  function count(kind: LabelKind, { site, day, labels }: EventFacts, collection: StoredEvent["collection"]): void {
    const label = labels[kind];
    if (label === undefined) return;
    // Labels hold no control character, so that a line break keeps them apart.
    const key = `${site}\n${day}\n${label}`;
    const known = counts[kind].get(key);
    const row = known ?? { site, day, label, full: 0, aggregate: 0 };
    row[collection]++;
    if (known === undefined) counts[kind].set(key, row);
  }

  return {
    add: (events) => {
      const locate = createLocator();
      for (const event of events) {
        const facts = readFacts(event, locate);
        for (const kind of LABEL_KINDS) count(kind, facts, event.collection);
      }
    },
    rows: (kind) => counts[kind].values(),
  };
}
