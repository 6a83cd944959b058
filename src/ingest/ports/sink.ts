/**
 * The port between the ingest and whatever stores its events.
 *
 * @module
 */
import type { EventContext, Identity } from "../../client/base/types.ts";
import type { ViolationKind } from "../../plan/plan_check.ts";
import type { Refusal } from "../contract/refusal.ts";

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
  /** ISO 8601 UTC time at which the ingest received it, the same for all events of a request. */
  readonly receivedAt: string;
  /** Properties, present only when supplied. */
  readonly properties?: Readonly<Record<string, unknown>>;
  /** Session; absent from aggregates. */
  readonly sessionId?: string;
  /** Identity; absent from aggregates. */
  readonly identity?: Identity;
  /** Context as sent. */
  readonly context?: EventContext;
  /** Batch it came in; absent from aggregates. */
  readonly batchId?: string;
  /** How it breaks the plan; present only where the ingest has a plan and the event breaks it. */
  readonly violation?: ViolationKind;
}

/** One request that kept every rule. */
export interface ReceivedBatch {
  /** Publishable key of the sender (SPEC 5). */
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

/**
 * A batch that the sink itself turns down, as the sender will be told: what an endpoint further up said, for
 * instance. Its words go to the sender alone. `retryAfterS` is rounded up, at most an hour, and 5 where a 429 or 503
 * has none; with another status it is left out. A status that is no refusal's is answered 503, and told to `onError`.
 */
export interface SinkRefusal extends Omit<Refusal, "code"> {
  /** Machine-readable reason. */
  readonly code: string;
  /** Why, for `onError` alone: where the sink or what is behind it is at fault, and not the batch. */
  readonly cause?: unknown;
}

/** Stores events once per key and event ID. */
export interface EventSink {
  /**
   * Resolves when the events are durable, or to a refusal; rejects when they couldn't be stored, which the
   * sender is told as 503 with Retry-After. A batch that wasn't stored as a whole comes again as a whole.
   */
  store(batch: ReceivedBatch): Promise<StoreResult | SinkRefusal>;
  /** Resolves when the sink can take events, rejects with the reason when it can't. A sink without it always can. */
  check?(): Promise<void>;
  /** Releases what the sink holds, after what is under way. */
  close(): Promise<void>;
}

/** Name of pageviews in both forms (SPEC 2.8, 6). */
export const PAGEVIEW_NAME = "$pageview";

/** Returns whether an event is a pageview, full or aggregate. */
export function isPageview({ name }: Pick<StoredEvent, "name">): boolean {
  return name === PAGEVIEW_NAME;
}

/** Returns the month in UTC that an ISO time is in, `2026-01`: the period of the allowance. */
export function monthOf(time: string): string {
  return time.slice(0, "2026-01".length);
}
