import type { Cancel } from "./environment/environment.ts";

/** Largest body of a batch in UTF-8 bytes, but for a single larger event (CONTRACT 22). */
export const MAX_BATCH_BYTES = 60_000;

/** Where events go, and how many at a time. */
export interface Target {
  /** Ingest URL. */
  readonly endpoint: string;
  /** Publishable key. */
  readonly apiKey: string;
  /** Most events in a batch. */
  readonly maxEvents: number;
  /** Milliseconds between automatic flushes. */
  readonly flushInterval: number;
}

/** Events of one kind that travel together. */
export interface Batch {
  /** Where it goes, with which key. */
  readonly target: Target;
  /** Whether it holds aggregate pageviews. */
  readonly isAggregate: boolean;
  /** When its first event was finished, in milliseconds since the Unix epoch. */
  readonly timeMs: number;
  /** JSON texts of its events, oldest first. */
  readonly events: string[];
  /** How many of them one request may carry: fewer after a 413. */
  size: number;
  /** The `batchId`; absent until it's first sent. */
  id?: string | undefined;
  /** UTF-8 bytes of its body. */
  bytes: number;
  /** Answers of 5xx other than 503. */
  errors: number;
  /** Ends the request that carries it, while one does. */
  cancel?: Cancel | undefined;
}

/**
 * Builds the body of a request: EventRequestPayload (SPEC 2.7) or, where the events have no session,
 * AggregatePageviewPayload (SPEC 2.8).
 *
 * @param current JSON text of the event that gives `sessionId`, `identity` and `context`: the first one, or where there
 * is none one captured now.
 */
export function buildBody(
  { id, events, size }: Pick<Batch, "id" | "events" | "size">,
  sentAt: string,
  current: string | undefined = events[0],
): string {
  const { sessionId, identity, context } = JSON.parse(current ?? "{}");
  const envelope = sessionId ? { sessionId, identity, context } : { collection: "aggregate" };
  const head = JSON.stringify({ type: "event", batchId: id, sentAt, ...envelope });
  return `${head.slice(0, -1)},"events":[${events.slice(0, size)}]}`;
}
