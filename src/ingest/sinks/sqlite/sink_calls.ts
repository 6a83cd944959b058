/**
 * What the SQLite sink and its thread say to each other.
 *
 * @module
 */

/** A batch on its way to its commit. Text crosses to a thread faster than objects do. */
export interface PostedBatch {
  /** Publishable key of the sender. */
  readonly apiKey: string;
  /** Its events as JSON, in order. */
  readonly texts: readonly string[];
}

/** What was stored of a batch. */
export interface CommittedBatch {
  /** Places of the events that were stored now; the others were known. */
  readonly stored: readonly number[];
  /** See `StoreResult.pageviewsThisMonth`. */
  readonly pageviewsThisMonth?: number;
}

/** What became of a batch: what was stored, or why none of it was. */
export type BatchOutcome = CommittedBatch | { readonly fault: string };

/** What the thread does. */
export type SinkCalls = {
  /** Opens the database. Throws for a path that can't be written or holds something else. */
  readonly open: (path: string) => void;
  /** Stores batches in one transaction. Throws when none of them is durable. */
  readonly commit: (batches: readonly PostedBatch[]) => readonly BatchOutcome[];
  /** Rejects when the database can't be written. */
  readonly check: () => Promise<void>;
  /** Returns every event as JSON, in the order of arrival. */
  readonly events: () => readonly string[];
  /** Returns the pageviews of a key and a month. */
  readonly pageviews: (apiKey: string, month: string) => number;
  /** Closes the database. */
  readonly close: () => void;
};
