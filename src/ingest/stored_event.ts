import type { AggregatePageviewPayload, EventContext, EventRequestPayload, Identity, StepEvent } from "../types.ts";
import type { StoredEvent } from "./sink.ts";

const CONTEXT_FIELDS = [
  "sdkName",
  "sdkVersion",
  "pageUrl",
  "referrer",
  "pageTitle",
  "screenWidth",
  "screenHeight",
] as const satisfies readonly (keyof EventContext)[];

const IDENTITY_FIELDS = ["userId", "anonymousId", "traits"] as const satisfies readonly (keyof Identity)[];

const EVENT_FIELDS = ["id", "name", "timestamp"] as const satisfies readonly (keyof StepEvent)[];

/**
 * Builds what is stored of a full body. Session, identity and context are the event's own: the envelope's are
 * those of the first event (SPEC 2.7) and would be a guess for any other.
 */
export function buildFullEvents(payload: EventRequestPayload, receivedAt: string): readonly StoredEvent[] {
  return payload.events.map((event) => ({
    ...pick(event, EVENT_FIELDS),
    collection: "full",
    receivedAt,
    ...pick(event, ["properties", "sessionId"]),
    ...(event.identity && { identity: pick(event.identity, IDENTITY_FIELDS) }),
    ...(event.context && { context: pick(event.context, CONTEXT_FIELDS) }),
    batchId: payload.batchId,
  }));
}

/** Builds what is stored of an aggregate body: without batch, session or identity (CONTRACT 29). */
export function buildAggregateEvents(payload: AggregatePageviewPayload, receivedAt: string): readonly StoredEvent[] {
  return payload.events.map((event) => ({
    ...pick(event, EVENT_FIELDS),
    collection: "aggregate",
    receivedAt,
    ...(event.context && { context: pick(event.context, CONTEXT_FIELDS) }),
  }));
}

function pick<T extends object, K extends keyof T>(source: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(source, name)).map((name) => [name, source[name]]),
  ) as Pick<T, K>;
}
