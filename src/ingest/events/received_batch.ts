import type { StoredEvent } from "./stored_event.ts";

/** One request that kept every rule. */
export interface ReceivedBatch {
  // SPEC 5
  /** Publishable key of the sender. */
  readonly apiKey: string;
  /** What is to be stored of it, in the order in which it came. May be empty. */
  readonly events: readonly StoredEvent[];
}

/** What became of the events of one batch. */
export interface StoreResult {
  /** How many were stored now. */
  readonly accepted: number;
  /** How many were known already under the same key and event ID. */
  readonly duplicates: number;
  /**
   * How many were left out, since an erasure names them: they were captured before it. Present where there were any; the
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
