import type { StoredEvent } from "../sink.ts";
import { parsePlace, type Place, readFacts } from "./event_facts.ts";

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

  function count(kind: TallyKind, { site, day, label, collection }: Counted): void {
    // Labels hold no control character, so that a line break keeps them apart.
    const key = `${site}\n${day}\n${label}`;
    const row = counts[kind].get(key) ?? { site, day, label, full: 0, aggregate: 0 };
    row[collection]++;
    counts[kind].set(key, row);
  }

  return {
    add: (events) => {
      const locate = createMemory();
      for (const event of events) {
        const { name, path, referrer, sessionId, ...where } = readFacts(event, locate);
        count("names", { ...where, label: name });
        if (path !== undefined) count("paths", { ...where, label: path });
        if (referrer !== undefined) count("referrers", { ...where, label: referrer });
        if (sessionId !== undefined) count("sessions", { ...where, label: sessionId });
      }
    },
    rows: (kind) => counts[kind].values(),
  };
}

interface Counted {
  readonly site: string;
  readonly day: string;
  readonly label: string;
  readonly collection: StoredEvent["collection"];
}

// The events of a batch are mostly of one page: parsing its URL once is most of the speed.
function createMemory(): (url: string) => Place {
  const places = new Map<string, Place>();
  return (url) => {
    const place = places.get(url) ?? parsePlace(url);
    places.set(url, place);
    return place;
  };
}
