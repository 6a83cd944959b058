/**
 * The port between the ingest and whatever stores its events.
 *
 * @module
 */
import type { EventContext, Identity } from "../types.ts";

/** One event as stored: what the contract knows, nothing else. */
export interface StoredEvent {
  /** Event ID, unique per key. */
  readonly id: string;
  /** Event name. */
  readonly name: string;
  /** Whether it came as a full event or as an aggregate pageview. */
  readonly collection: "full" | "aggregate";
  /** ISO 8601 UTC time of the call in the browser. */
  readonly timestamp: string;
  /** ISO 8601 UTC time at which the ingest received it. */
  readonly receivedAt: string;
  /** Properties, present only when supplied. */
  readonly properties?: Readonly<Record<string, unknown>>;
  /** Session; absent from aggregates. */
  readonly sessionId?: string;
  /** Identity; absent from aggregates. */
  readonly identity?: Identity;
  /** Context as sent. */
  readonly context?: EventContext;
  /** Batch it came in; absent from aggregates (CONTRACT 29). */
  readonly batchId?: string;
}

/** What became of the events of one request. */
export interface StoreResult {
  /** Events stored now, in the order in which they came. */
  readonly accepted: readonly StoredEvent[];
  /** How many were known already under the same key and event ID. */
  readonly duplicates: number;
}

/** Stores events once per key and event ID. */
export interface EventSink {
  /** Resolves when the events are durable; rejects when they couldn't be stored, and then none is. */
  store(apiKey: string, events: readonly StoredEvent[]): Promise<StoreResult>;
  /** Releases what the sink holds. */
  close(): Promise<void>;
}
