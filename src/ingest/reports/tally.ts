import type { StoredEvent } from "../sinks/sink.ts";
import { type EventFacts, parsePlace, type Place, readFacts } from "./event_facts.ts";

/** A count of something on one day of one site. */
export interface TallyRow {
  /** Origin of the pages; empty for events that name none. */
  readonly site: string;
  /** UTC day. */
  readonly day: string;
  /** What was counted: a path, a referrer, an event name or a session id. */
  readonly label: string;
  /** How often among full events. */
  full: number;
  /** How often among aggregate pageviews. */
  aggregate: number;
}

/** The four counts of a report. */
export const TALLY_KINDS = ["names", "paths", "referrers", "sessions"] as const;

/** One of the four counts of a report. */
export type TallyKind = typeof TALLY_KINDS[number];

/** Events counted by site, day and label. */
export interface Tally {
  /** Counts events. */
  add(events: readonly StoredEvent[]): void;
  /** Returns the counts of one kind. */
  rows(kind: TallyKind): Iterable<Readonly<TallyRow>>;
}

/** Creates an empty tally. */
export function createTally(): Tally {
  const counts: Record<TallyKind, Map<string, TallyRow>> = {
    paths: new Map(),
    referrers: new Map(),
    names: new Map(),
    sessions: new Map(),
  };

  function count({ site, day, collection }: EventFacts, { kind, label }: Counted): void {
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
      const locate = createMemory();
      for (const event of events) {
        const facts = readFacts(event, locate);
        count(facts, { kind: "names", label: facts.name });
        count(facts, { kind: "paths", label: facts.path });
        count(facts, { kind: "referrers", label: facts.referrer });
        count(facts, { kind: "sessions", label: facts.sessionId });
      }
    },
    rows: (kind) => counts[kind].values(),
  };
}

interface Counted {
  readonly kind: TallyKind;
  readonly label: string | undefined;
}

// The events of a batch are mostly of one page: parsing its URL once is most of the speed.
function createMemory(): (url: string) => Place {
  const places = new Map<string, Place>();
  return (url) => {
    const known = places.get(url);
    if (known !== undefined) return known;
    const place = parsePlace(url);
    places.set(url, place);
    return place;
  };
}
