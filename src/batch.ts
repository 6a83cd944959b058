import type { Cancel } from "./environment/environment.ts";

/** Largest body of a batch in UTF-8 bytes, but for a single larger event (CONTRACT 22). */
export const MAX_BATCH_BYTES = 60_000;

/** Where events go, and how. */
export interface Target {
  /** Ingest URL. */
  readonly endpoint: string;
  /** Publishable key. */
  readonly apiKey: string;
  /** Most events in a batch. */
  readonly maxEvents: number;
  /** Milliseconds between automatic flushes. */
  readonly flushInterval: number;
  /** Whether consent allows full events to be kept in memory. */
  readonly mayKeep: () => boolean;
}

/** Events of one kind that travel together. */
export interface Batch {
  /** Where it goes. */
  readonly target: Target;
  /** Whether it holds aggregate pageviews. */
  readonly isAggregate: boolean;
  /** JSON texts of its events, oldest first. */
  readonly events: string[];
  /** How many of them one request may carry: fewer after a 413. */
  size: number;
  /** The `batchId`; absent until it's first sent. */
  id?: string | undefined;
  /** Upper bound of its body's UTF-8 bytes. */
  bytes: number;
  /** Answers of 5xx other than 503. */
  errors: number;
  /** Ends the request that carries it, while one does. */
  cancel?: Cancel | undefined;
}

/**
 * Builds the body of a request: EventRequestPayload (SPEC 2.7) or AggregatePageviewPayload (SPEC 2.8).
 *
 * @param current JSON text of the event that gives `sessionId`, `identity` and `context`: the first one of the batch,
 * or for an empty batch one captured now.
 */
export function buildBody(
  { id, isAggregate, events, size }: Pick<Batch, "id" | "isAggregate" | "events" | "size">,
  sentAt: string,
  current: string | undefined = events[0],
): string {
  const { sessionId, identity, context } = JSON.parse(current ?? "{}");
  const envelope = isAggregate ? { collection: "aggregate" } : { sessionId, identity, context };
  return `${JSON.stringify({ type: "event", batchId: id, sentAt, ...envelope }).slice(0, -1)},"events":[${
    events.slice(0, size)
  }]}`;
}
