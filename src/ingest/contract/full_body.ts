/**
 * The full body and its parts (SPEC 2.4 to 2.7).
 *
 * @module
 */
import * as v from "valibot";
import {
  type EventContext,
  type EventRequestPayload,
  type Identity,
  SDK_NAME,
  type StepEvent,
} from "@vendor/sdk/contract";
import {
  characters,
  describes,
  fields,
  IDENTIFIER,
  NUMBER,
  oneOf,
  RECORD,
  type Schema,
  TEXT,
  UTC_TIME,
} from "./values.ts";

/** Most events of a request (SPEC 8). */
export const MAX_EVENTS = 100;

/** Longest event name in characters (SPEC 8). */
export const MAX_NAME_CHARACTERS = 100;

/** SPEC 2.4 */
export const IDENTITY: Schema<Identity> = describes<Identity>()(v.pipe(
  fields({
    userId: v.nullable(v.string("must be a string or null")),
    anonymousId: v.exactOptional(IDENTIFIER),
    traits: v.exactOptional(RECORD),
  }),
  v.description("Who an event belongs to."),
));

/** SPEC 2.5 */
export const CONTEXT: Schema<EventContext> = describes<EventContext>()(v.pipe(
  fields({
    sdkName: oneOf(SDK_NAME),
    sdkVersion: TEXT,
    pageUrl: v.exactOptional(TEXT),
    referrer: v.exactOptional(TEXT),
    pageTitle: v.exactOptional(TEXT),
    screenWidth: v.exactOptional(NUMBER),
    screenHeight: v.exactOptional(NUMBER),
  }),
  v.description("Environment metadata captured when an event was tracked."),
));

/** SPEC 2.6 */
export const STEP_EVENT: Schema<StepEvent> = describes<StepEvent>()(v.pipe(
  fields({
    id: IDENTIFIER,
    name: characters(MAX_NAME_CHARACTERS),
    properties: v.exactOptional(RECORD),
    timestamp: UTC_TIME,
    sessionId: v.exactOptional(IDENTIFIER),
    identity: v.exactOptional(IDENTITY),
    context: v.exactOptional(CONTEXT),
  }),
  v.description("A single tracked event."),
));

/** SPEC 2.7 */
export const FULL_BODY: Schema<EventRequestPayload> = describes<EventRequestPayload>()(v.pipe(
  fields({
    type: oneOf("identity", "event"),
    batchId: IDENTIFIER,
    sessionId: IDENTIFIER,
    identity: IDENTITY,
    events: listOf(STEP_EVENT),
    sentAt: UTC_TIME,
    context: CONTEXT,
  }),
  v.metadata({
    description: "Body of a full analytics request. Fields that aren't listed are ignored.",
    // The field tells aggregate bodies apart, however it is spelt.
    not: { required: ["collection"] },
  }),
));

/** A list of as many events as a request may carry. */
export function listOf<T>(event: Schema<T>): Schema<readonly T[]> {
  return v.pipe(v.array(event, "must be an array"), v.metadata({ maxItems: MAX_EVENTS }));
}
