/**
 * Counts of a store for the reports. docs/reports.md defines each number.
 *
 * @module
 */

/** Pageviews of both forms. */
export interface ViewCounts {
  // SPEC 3
  /** Recorded with consent. */
  readonly full: number;
  // SPEC 2.8
  /** Recorded before consent, without visitor or session. */
  readonly aggregate: number;
}

/** The events of a span of time, counted. */
export interface VisitCounts {
  /** Pageviews. */
  readonly pageviews: ViewCounts;
  /** Distinct anonymous ids of full events. */
  readonly visitors: number;
  /** Distinct user ids of full events. */
  readonly users: number;
  /** Sessions whose first event is in the span. */
  readonly sessions: number;
  /** Those of them that begin with a pageview that comes from elsewhere; of these alone are `landingViews` and `bounces`. */
  readonly landings: number;
  /** Pageviews of the landings, whenever they were. */
  readonly landingViews: number;
  /** Landings with one pageview, no step and less than 10 s of engagement. */
  readonly bounces: number;
  /** Sessions that have nothing but pageviews of one moment: they show no sign of a person. */
  readonly instantSessions: number;
}

/** A page. */
export interface PageCounts {
  /** Path, or the pattern that it fits. */
  readonly path: string;
  /** Its pageviews. */
  readonly views: ViewCounts;
  /**
   * Distinct visitors with an event on it. Not each has a view with consent there: where the view before consent has left, none
   * comes with the consent.
   */
  readonly visitors: number;
  /** Landings whose first pageview it is. */
  readonly entries: number;
  /** Sessions whose last pageview it is. */
  readonly exits: number;
  /** Bounces of the entries. */
  readonly bounces: number;
  /** Milliseconds of engagement with it, of all visitors together. */
  readonly engagedMs: number;
}

/** Who had a choice to make, and who consented. */
export interface AcceptanceCounts {
  /** Visitors who were first seen: people who consented, and had not before as far as is known. */
  readonly newlyConsented: number;
  /**
   * Pageviews from elsewhere of people who hadn't chosen: those before consent, and those that are a visitor's first event,
   * which were recorded in full because consent was given on them.
   */
  readonly arrivalsBeforeChoice: number;
}

/** Where sessions came from. */
export interface SourceCounts {
  /**
   * Label: a channel, an origin, a campaign…; null for sessions without one. By `landing` it's the path, or the pattern that it
   * fits, of a landing's first pageview; null for sessions that are no landings.
   */
  readonly label: string | null;
  /** Pageviews that came from there themselves; by `landing`, those of the page that came from elsewhere. */
  readonly views: ViewCounts;
  /** Sessions from there. */
  readonly sessions: number;
  /** Distinct visitors of the sessions, each by its first event. */
  readonly visitors: number;
  /** Landings among the sessions. */
  readonly landings: number;
  /** Bounces among them. */
  readonly bounces: number;
}

/** Steps of one name. */
export interface StepCounts {
  /** Name. */
  readonly name: string;
  /** Number of them. */
  readonly count: number;
  /** Distinct visitors who made one. */
  readonly visitors: number;
}

/** A value of a step's property. */
export interface ValueCounts {
  /** The value: `1` and `"1"` are two. */
  readonly value: string | number | boolean | null;
  /** Number of steps that have it. */
  readonly count: number;
  /** Distinct visitors who made one of them. */
  readonly visitors: number;
}

/** The values of a property of a step. */
export interface StepValues {
  /**
   * Names of the step's properties with a scalar value, at most 50; none beside values. The most frequent come first, and of
   * as many those whose newest value is a text.
   */
  readonly keys: readonly string[];
  /** The values of the property that was asked for, the most frequent first. */
  readonly values: readonly (ValueCounts & {
    /** Sum of the numbers of the property that is summed; absent where none is. */
    readonly sum?: number;
  })[];
  /** Number of distinct values. */
  readonly distinct: number;
  /** Number of steps with other values than those listed; null where all are. */
  readonly other: Pick<ValueCounts, "count"> | null;
  /** Sums and ranks of the numbers among them; null where there is none. */
  readonly numbers: {
    /** Number of them. */
    readonly count: number;
    /** Their sum. */
    readonly sum: number;
    /** Median by nearest rank. */
    readonly median: number;
    /** 75th percentile by nearest rank, as web vitals are judged by. */
    readonly p75: number;
    /** 90th percentile by nearest rank. */
    readonly p90: number;
  } | null;
}

/** The numbers among the values of a property. */
export type NumberCounts = NonNullable<StepValues["numbers"]>;

/** Counts of events. */
export interface EventTotals {
  /** Number of them, with consent. */
  readonly count: number;
  /** Distinct visitors who made one. */
  readonly visitors: number;
  /** Sum of the property's numbers; 0 where none is summed. */
  readonly sum: number;
}

/** Rows of a list, the largest first. */
export interface Listed<T> {
  /** At most as many as asked for. */
  readonly rows: readonly T[];
  /** Number of all of them. */
  readonly count: number;
  /** Sums of what the rows leave out, but for visitors, who don't add up; null where they leave out nothing. */
  readonly other: Omit<T, "path" | "label" | "name" | "kind" | "visitors"> | null;
}
