import type { AggregatePageviewPayload, EventRequestPayload } from "../types.ts";
import { SDK_NAME } from "../version.ts";
import { isAggregateContext, isAnonymous } from "./aggregate.ts";
import {
  all,
  arrayOf,
  characters,
  describeFault,
  isIdentifier,
  isNumber,
  isObject,
  isRecord,
  isText,
  isUtcTime,
  object,
  oneOf,
  satisfies,
} from "./checks.ts";
import { buildMalformed, type Refusal } from "./refusal.ts";

/** Most events of a request (SPEC 8). */
const MAX_EVENTS = 100;

/** Longest event name in characters (SPEC 8). */
const MAX_NAME_CHARACTERS = 100;

/** A body that keeps every rule, or why it was refused. */
export type Validation =
  | { readonly collection: "full"; readonly payload: EventRequestPayload }
  | { readonly collection: "aggregate"; readonly payload: AggregatePageviewPayload }
  | { readonly collection: "none"; readonly refusal: Refusal };

/** SPEC 2.4 */
const isIdentity = object(
  { userId: satisfies("must be a string or null", (value) => value === null || typeof value === "string") },
  { anonymousId: isIdentifier, traits: isRecord },
);

/** SPEC 2.5 */
const isContext = object(
  { sdkName: oneOf(SDK_NAME), sdkVersion: isText },
  { pageUrl: isText, referrer: isText, pageTitle: isText, screenWidth: isNumber, screenHeight: isNumber },
);

/** SPEC 2.6 */
const isStepEvent = object(
  { id: isIdentifier, name: characters(MAX_NAME_CHARACTERS), timestamp: isUtcTime },
  { properties: isRecord, sessionId: isIdentifier, identity: isIdentity, context: isContext },
);

/** SPEC 2.7 */
const isFullBody = object({
  type: oneOf("identity", "event"),
  batchId: isIdentifier,
  sessionId: isIdentifier,
  identity: isIdentity,
  events: arrayOf(isStepEvent),
  sentAt: isUtcTime,
  context: isContext,
});

/** SPEC 2.8; the search for an identity comes early, so that no other fault of the body hides it. */
const isAggregateBody = all(
  object({ collection: oneOf("aggregate") }),
  isAnonymous,
  object({
    type: oneOf("event"),
    batchId: isIdentifier,
    events: arrayOf(
      object(
        { id: isIdentifier, name: oneOf("$pageview"), timestamp: isUtcTime },
        { context: isAggregateContext },
      ),
    ),
    sentAt: isUtcTime,
  }),
);

/**
 * Checks a parsed body against every rule of SPEC 2.4 to 2.8 and CONTRACT 29. The first broken rule is told.
 * Fields that the specification doesn't know are no fault; they aren't stored.
 */
export function validateBody(body: unknown): Validation {
  if (!isObject(body)) return refuse(buildMalformed("body must be an object"));
  if (Array.isArray(body.events) && body.events.length > MAX_EVENTS) {
    return refuse({ status: 413, code: "too_many_events", message: `events must be at most ${MAX_EVENTS}` });
  }
  // Only aggregates have the field (SPEC 2.8). A misspelt value must not pass for consent to a full body.
  const isAggregate = Object.hasOwn(body, "collection");
  const fault = isAggregate ? isAggregateBody(body) : isFullBody(body);
  if (fault !== undefined) return refuse(buildMalformed(describeFault(fault)));
  return isAggregate
    ? { collection: "aggregate", payload: body as unknown as AggregatePageviewPayload }
    : { collection: "full", payload: body as unknown as EventRequestPayload };
}

function refuse(refusal: Refusal): Validation {
  return { collection: "none", refusal };
}
