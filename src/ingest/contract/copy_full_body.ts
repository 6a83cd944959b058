import {
  type EventContext,
  type EventRequestPayload,
  type Identity,
  SDK_NAME,
  type StepEvent,
} from "@vendor/sdk/contract";
import { MAX_EVENTS, MAX_NAME_CHARACTERS } from "./full_body.ts";
import { isObject, isUtcTime, MAX_IDENTIFIER_CHARACTERS, toZulu } from "./values.ts";

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

type Parsed = Readonly<Record<string, unknown>>;

/** The usual form of a time, of a day that every month has: most others take a calendar. */
const PLAIN_TIME = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/**
 * Makes of a parsed body what {@linkcode FULL_BODY} does, in a fraction of the time. Returns undefined for one that may
 * break a rule: the schema decides, and has the words for it.
 */
export function copyFullBody(body: Parsed): EventRequestPayload | undefined {
  const { type, batchId, sessionId, events } = body;
  const identity = copyIdentity(body.identity);
  const context = copyContext(body.context);
  const sentAt = copyTime(body.sentAt);
  if (type !== "event" && type !== "identity") return undefined;
  if (identity === undefined || context === undefined || sentAt === undefined) return undefined;
  if (!isIdentifier(batchId) || !isIdentifier(sessionId)) return undefined;
  if (!Array.isArray(events) || events.length > MAX_EVENTS) return undefined;
  const copies: StepEvent[] = [];
  for (let index = 0; index < events.length; index++) {
    const copy = copyEvent(events[index]);
    if (copy === undefined) return undefined;
    copies.push(copy);
  }
  return { type, batchId, sessionId, identity, events: copies, sentAt, context };
}

function copyEvent(event: unknown): StepEvent | undefined {
  if (!isObject(event)) return undefined;
  const { id, name, properties, sessionId } = event;
  const timestamp = copyTime(event.timestamp);
  if (!isIdentifier(id) || !isText(name) || name === "" || name.length > MAX_NAME_CHARACTERS) return undefined;
  if (timestamp === undefined) return undefined;
  const copy: Partial<Mutable<StepEvent>> & Pick<StepEvent, "id" | "name"> = { id, name };
  if (properties !== undefined) {
    if (!isObject(properties)) return undefined;
    copy.properties = properties;
  }
  copy.timestamp = timestamp;
  if (sessionId !== undefined) {
    if (!isIdentifier(sessionId)) return undefined;
    copy.sessionId = sessionId;
  }
  if (event.identity !== undefined) {
    const identity = copyIdentity(event.identity);
    if (identity === undefined) return undefined;
    copy.identity = identity;
  }
  if (event.context !== undefined) {
    const context = copyContext(event.context);
    if (context === undefined) return undefined;
    copy.context = context;
  }
  return copy as StepEvent;
}

function copyIdentity(identity: unknown): Identity | undefined {
  if (!isObject(identity)) return undefined;
  const { userId, anonymousId, traits } = identity;
  if (userId !== null && !isText(userId)) return undefined;
  const copy: Mutable<Identity> = { userId };
  if (anonymousId !== undefined) {
    if (!isIdentifier(anonymousId)) return undefined;
    copy.anonymousId = anonymousId;
  }
  if (traits !== undefined) {
    if (!isObject(traits)) return undefined;
    copy.traits = traits;
  }
  return copy;
}

function copyContext(context: unknown): EventContext | undefined {
  if (!isObject(context)) return undefined;
  const { sdkName, sdkVersion, pageUrl, referrer, pageTitle, screenWidth, screenHeight } = context;
  if (sdkName !== SDK_NAME || !isText(sdkVersion)) return undefined;
  const copy: Mutable<EventContext> = { sdkName, sdkVersion };
  if (pageUrl !== undefined) {
    if (!isText(pageUrl)) return undefined;
    copy.pageUrl = pageUrl;
  }
  if (referrer !== undefined) {
    if (!isText(referrer)) return undefined;
    copy.referrer = referrer;
  }
  if (pageTitle !== undefined) {
    if (!isText(pageTitle)) return undefined;
    copy.pageTitle = pageTitle;
  }
  if (screenWidth !== undefined) {
    if (!isNumber(screenWidth)) return undefined;
    copy.screenWidth = screenWidth;
  }
  if (screenHeight !== undefined) {
    if (!isNumber(screenHeight)) return undefined;
    copy.screenHeight = screenHeight;
  }
  return copy;
}

function copyTime(time: unknown): string | undefined {
  if (!isText(time)) return undefined;
  if (PLAIN_TIME.test(time)) return time;
  return isUtcTime(time) ? toZulu(time) : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** Returns whether a value is an identifier; a long one may be one of few characters, which takes a count. */
function isIdentifier(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= MAX_IDENTIFIER_CHARACTERS && value.isWellFormed();
}
