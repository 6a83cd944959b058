import type { StoredEvent } from "./stored_event.ts";

/** One request that kept every rule. */
export interface ReceivedBatch {
  // SPEC 5
  /** Publishable key of the sender. */
  readonly apiKey: string;
  /** The events to store, in the order in which they came. May be empty. */
  readonly events: readonly StoredEvent[];
}

/** The outcome of a batch's events. */
export interface StoreResult {
  /** Number of those stored now. */
  readonly accepted: number;
  /** Number of those known already under the same key and event ID. */
  readonly duplicates: number;
  /**
   * Events left out, since an erasure names them: they were captured before it. Present where there were any; the
   * sender isn't told, for it has nothing to do.
   */
  readonly erased?: number;
  /** The ones stored now, in order, where the sink can tell which they are. */
  readonly events?: readonly StoredEvent[];
  /**
   * Pageviews, full and aggregate, stored for the key since the beginning of the batch's month in UTC, these
   * included; where the sink keeps count. The ingest counts for itself otherwise, from its start.
   */
  readonly pageviewsThisMonth?: number;
}
