/** A row of `facts`, as far as a visit is made of it. */
export interface VisitFact {
  readonly time: number;
  readonly tie: string;
  /** Place of its kind in `VISIT_KINDS`. */
  readonly kind: number;
  readonly isArrival: boolean;
  readonly path: number;
  readonly source: number;
  /** Whether the source is tagged, which goes before a referrer. */
  readonly isTagged: boolean;
  /** Whether it is an arrival, or the source has a referrer. */
  readonly isReferred: boolean;
  readonly engaged: number;
  readonly visitor: number | null;
}

/** A value, and the event that it's of. */
export interface Mark {
  readonly time: number;
  readonly tie: string;
  readonly value: number;
}

/** What a session is so far: sums, and the first and the last of what it has. Events may come in any order. */
export interface Visit {
  /** Its first event. */
  readonly start: Mark;
  readonly isLanding: boolean;
  readonly visitor: number | null;
  /** Whether its events are of several visitors. */
  readonly isMixed: boolean;
  /** Time of its last event. */
  readonly last: number;
  readonly events: number;
  readonly views: number;
  readonly steps: number;
  readonly engaged: number;
  /** Path of the first pageview. */
  readonly entry: Mark | undefined;
  /** Path of the last pageview. */
  readonly exit: Mark | undefined;
  /** Source of the first tagged event. */
  readonly tag: Mark | undefined;
  /** Source of the first event that is an arrival, or has a referrer. */
  readonly referral: Mark | undefined;
}

const [PAGEVIEW, STEP] = [1, 2] as const;

/** Adds an event to a visit. */
export function addToVisit(visit: Visit | undefined, fact: VisitFact): Visit {
  const { time, tie, kind, path, source } = fact;
  const mark = (value: number): Mark => ({ time, tie, value });
  const isView = kind === PAGEVIEW;
  const isFirst = visit === undefined || isBefore(fact, visit.start);
  return {
    start: isFirst ? mark(0) : visit.start,
    isLanding: isFirst ? fact.isArrival : visit.isLanding,
    visitor: isFirst ? fact.visitor : visit.visitor,
    isMixed: visit !== undefined && (visit.isMixed || visit.visitor !== fact.visitor),
    last: Math.max(visit?.last ?? time, time),
    events: (visit?.events ?? 0) + 1,
    views: (visit?.views ?? 0) + Number(isView),
    steps: (visit?.steps ?? 0) + Number(kind === STEP),
    engaged: (visit?.engaged ?? 0) + fact.engaged,
    entry: isView && (visit?.entry === undefined || isBefore(fact, visit.entry)) ? mark(path) : visit?.entry,
    exit: isView && (visit?.exit === undefined || !isBefore(fact, visit.exit)) ? mark(path) : visit?.exit,
    tag: fact.isTagged && (visit?.tag === undefined || isBefore(fact, visit.tag)) ? mark(source) : visit?.tag,
    referral: fact.isReferred && (visit?.referral === undefined || isBefore(fact, visit.referral))
      ? mark(source)
      : visit?.referral,
  };
}

function isBefore(one: Pick<Mark, "time" | "tie">, other: Pick<Mark, "time" | "tie">): boolean {
  return one.time < other.time || (one.time === other.time && one.tie < other.tie);
}
