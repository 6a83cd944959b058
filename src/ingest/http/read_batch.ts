import * as v from "valibot";
import type { AggregatePageviewPayload, EventRequestPayload } from "@vendor/sdk/contract";
import { AGGREGATE_BODY, findForbiddenName, findPersonalData } from "../contract/aggregate_body.ts";
import { copyFullBody } from "../contract/copy_full_body.ts";
import { FULL_BODY, MAX_EVENTS } from "../contract/full_body.ts";
import { isObject } from "../contract/values.ts";
import type { ReceivedBatch } from "../events/received_batch.ts";
import { isPageview, type StoredEvent } from "../events/stored_event.ts";
import type { Bytes } from "./body.ts";
import { checkShape } from "./check_shape.ts";
import { buildMalformed, buildRefusal, type Refusal } from "../contract/refusal.ts";

/** Options of {@linkcode readBatch}. */
export interface ReadBatchOptions {
  /** The sender's publishable key. */
  readonly apiKey: string;
  /** Current time in milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Site of steps that name no page. */
  readonly site?: string | undefined;
}

/** A body that keeps every rule, without the fields that the specification doesn't know. */
export type CheckedBody =
  | { readonly collection: "full"; readonly payload: EventRequestPayload }
  | { readonly collection: "aggregate"; readonly payload: AggregatePageviewPayload };

const NOT_UTF_8: Refusal = buildMalformed("body must be UTF-8");

/** The refusal of a body whose compression nobody names: that it's no UTF-8 would lead its developer astray. */
const UNNAMED_GZIP: Refusal = buildMalformed("body is gzip, which header Content-Encoding must say");

/** Reads the events of a body that is here, and decompressed. */
export function readBatch(body: Bytes, { apiKey, now, site }: ReadBatchOptions): ReceivedBatch | Refusal {
  const checked = checkBody(body);
  if ("status" in checked) return checked;
  return { apiKey, events: buildStoredEvents(checked, { receivedAt: new Date(now()).toISOString(), site }) };
}

/**
 * Parses a body and checks it against the schemas of the contract; the first broken rule is named. What it returns is
 * safe to walk recursively and holds no own `__proto__` key, which would become a prototype as soon as somebody copied
 * it by assignment. Whatever the body, that takes no more than a few times what `JSON.parse` does.
 */
export function checkBody(bytes: Uint8Array): CheckedBody | Refusal {
  const text = decode(bytes);
  if (text === undefined) return isGzip(bytes) ? UNNAMED_GZIP : NOT_UTF_8;
  const excess = checkShape(bytes);
  if (excess !== undefined) return excess;
  const parsed = parse(text);
  if (parsed === undefined) return buildMalformed("body must be JSON");
  const checked = validate(parsed.body, text);
  if ("payload" in checked && mayNamePrototype(text)) dropPrototypes(checked.payload);
  return checked;
}

/** Returns whether bytes begin as gzip does (RFC 1952, 2.3.1). */
function isGzip([first, second]: Uint8Array): boolean {
  return first === 0x1f && second === 0x8b;
}

const DECODER = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: Uint8Array): string | undefined {
  try {
    return DECODER.decode(bytes);
  } catch {
    // Bytes that aren't UTF-8 are the sender's fault, not an error here.
    return undefined;
  }
}

function parse(text: string): { readonly body: unknown } | undefined {
  try {
    return { body: JSON.parse(text) };
  } catch {
    // The engine's message quotes the text, so it can't be passed on.
    return undefined;
  }
}

/** Any way to write the name, with or without escapes. */
const MAY_NAME_PROTOTYPE = /__proto__|\\u00/;

/** Returns whether a text may write the name. Most texts have no escape, which is found sooner than the expression is. */
function mayNamePrototype(text: string): boolean {
  return text.includes("\\") ? MAY_NAME_PROTOTYPE.test(text) : text.includes("__proto__");
}

/** Deletes the own keys `__proto__` of a value and of all that it holds. */
function dropPrototypes(value: object): void {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      if (isComposite(value[index])) dropPrototypes(value[index]);
    }
    return;
  }
  if (Object.hasOwn(value, "__proto__")) Reflect.deleteProperty(value, "__proto__");
  // Faster than a list of the values, which each object would make anew; parsed JSON inherits nothing enumerable.
  for (const name in value) {
    const item: unknown = Reflect.get(value, name);
    if (isComposite(item)) dropPrototypes(item);
  }
}

function isComposite(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function validate(body: unknown, text: string): CheckedBody | Refusal {
  if (isObject(body) && Array.isArray(body.events) && body.events.length > MAX_EVENTS) {
    return buildRefusal("too_many_events", `events must be at most ${MAX_EVENTS}`);
  }
  // Only aggregates have the field (SPEC 2.8). A misspelt value must not pass for consent to a full body.
  if (isObject(body) && Object.hasOwn(body, "collection")) return validateAggregate(body, text);
  const copy = isObject(body) ? copyFullBody(body) : undefined;
  if (copy !== undefined) return { collection: "full", payload: copy };
  const { success, output, issues } = v.safeParse(FULL_BODY, body, { abortEarly: true });
  return success ? { collection: "full", payload: output } : buildMalformed(describeIssue(issues[0]));
}

/** Looks for personal data first, so that no other fault of the body hides it. */
function validateAggregate(body: Readonly<Record<string, unknown>>, text: string): CheckedBody | Refusal {
  const { collection } = body;
  const name = collection === "aggregate" ? findForbiddenName(text) : undefined;
  if (name !== undefined) {
    return buildMalformed(`${findPersonalData(body)?.replace(/^\./, "") ?? name} must not be in an aggregate body`);
  }
  const { success, output, issues } = v.safeParse(AGGREGATE_BODY, body, { abortEarly: true });
  return success ? { collection: "aggregate", payload: output } : buildMalformed(describeIssue(issues[0]));
}

/** Writes an issue as a sentence: `events[3].name must be 1-100 characters`. */
function describeIssue({ path, message }: v.BaseIssue<unknown>): string {
  const isMissing = path?.at(-1)?.origin === "key";
  const rule = isMissing ? " is required" : /^[.[]/.test(message) ? message : ` ${message}`;
  const steps = path?.map(({ type, key }) => type === "array" ? `[${key}]` : `.${key}`) ?? [];
  const sentence = steps.join("") + rule;
  return sentence.startsWith(" ") ? `body${sentence}` : sentence.replace(/^\./, "");
}

/** Up to which a clock is right, in milliseconds: a request may take that long. */
const MAX_CLOCK_OFFSET_MS = 5 * 60 * 1000;

/**
 * Builds what is stored of a valid body. Session, identity and context are the event's own: the envelope's are those
 * of the first event (SPEC 2.7) and would be a guess for any other. Of aggregates neither the batch is noted, nor what a
 * clock is wrong by: reports can do without.
 */
function buildStoredEvents(
  { collection, payload }: CheckedBody,
  { receivedAt, site }: { readonly receivedAt: string; readonly site: string | undefined },
): readonly StoredEvent[] {
  if (collection === "aggregate") {
    return payload.events.map((event, place) => ({ ...event, collection, receivedAt, place }));
  }
  const { batchId, sentAt } = payload;
  const clockOffsetMs = Date.parse(receivedAt) - Date.parse(sentAt);
  const isWrong = Math.abs(clockOffsetMs) > MAX_CLOCK_OFFSET_MS;
  return payload.events.map((event, place) => ({
    ...event,
    collection,
    receivedAt,
    batchId,
    place,
    ...(site !== undefined && !event.context?.pageUrl && !isPageview(event) && { site }),
    ...(isWrong && { clockOffsetMs }),
  }));
}
