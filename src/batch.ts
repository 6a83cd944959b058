import type { TransportAnswer } from "./environment/environment.ts";

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
  /** The `batchId`; absent until it's first sent. From then on the batch doesn't change. */
  id?: string;
  /** UTF-8 bytes of its body; for half of a batch those of the whole. */
  bytes: number;
  /** Answers of 5xx other than 503. */
  errors: number;
  /** Ends the request that carries it, while one does, and takes the answer to it. */
  cancel?: ((answer?: TransportAnswer) => void) | undefined;
  /** Whether that request outlives the page. */
  keepalive?: boolean;
}

/**
 * Builds the body of a request: EventRequestPayload (SPEC 2.7) or, where the events have no session,
 * AggregatePageviewPayload (SPEC 2.8).
 *
 * @param current JSON text of the event that gives `sessionId`, `identity` and `context`: the first one, or where there
 * is none one captured now.
 */
export function buildBody(
  { id, events }: Pick<Batch, "id" | "events">,
  sentAt: string,
  current: string | undefined = events[0],
): string {
  const { sessionId, identity, context } = JSON.parse(current ?? "{}");
  const envelope = sessionId ? { sessionId, identity, context } : { collection: "aggregate" };
  const head = JSON.stringify({ type: "event", batchId: id, sentAt, ...envelope });
  return `${head.slice(0, -1)},"events":[${events}]}`;
}
