/**
 * The port between the ingest and whatever stores its events.
 *
 * @module
 */
import type { Refusal } from "../contract/refusal.ts";
import type { ReceivedBatch, StoreResult } from "../events/received_batch.ts";

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
