import * as v from "valibot";
import type { AggregatePageviewPayload, EventRequestPayload } from "../../types.ts";
import { AGGREGATE_BODY, findForbiddenName } from "../contract/aggregate_body.ts";
import { FULL_BODY, MAX_EVENTS } from "../contract/full_body.ts";
import { isObject } from "../contract/values.ts";
import type { ResolvedKey } from "../keys/keyring.ts";
import type { ReceivedBatch, StoredEvent } from "../sinks/sink.ts";
import type { Bytes } from "./body.ts";
import { buildMalformed, buildRefusal, type Refusal } from "./refusal.ts";

/** What {@linkcode readBatch} takes. */
export interface ReadBatchOptions {
  /** The sender's key. */
  readonly key: ResolvedKey;
  /** Current time in milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** A body that keeps every rule, without the fields that the specification doesn't know. */
export type CheckedBody =
  | { readonly collection: "full"; readonly payload: EventRequestPayload }
  | { readonly collection: "aggregate"; readonly payload: AggregatePageviewPayload };

/**
 * Deepest nesting of a body. The SDK's own bodies stay far below; beyond this bound recursive code, ours or a sink's,
 * could run out of stack.
 */
const MAX_NESTING_LEVELS = 100;

/** Reads the events of a body that is here, and decompressed. */
export function readBatch(body: Bytes, { key, now }: ReadBatchOptions): ReceivedBatch | Refusal {
  const checked = checkBody(body);
  if ("status" in checked) return checked;
  return { apiKey: key.apiKey, events: buildStoredEvents(checked, new Date(now()).toISOString()) };
}

/**
 * Parses a body and checks it against the schemas of the contract; the first broken rule is told. What it returns is
 * safe to walk recursively and holds no own `__proto__` key, which would become a prototype as soon as somebody copied
 * it by assignment.
 */
export function checkBody(bytes: Uint8Array): CheckedBody | Refusal {
  const text = decode(bytes);
  if (text === undefined) return buildMalformed("body must be UTF-8");
  const parsed = parse(text);
  if (parsed === undefined) return buildMalformed("body must be JSON");
  if (isTooDeep(parsed.body, 1)) {
    return buildMalformed(`body must not nest deeper than ${MAX_NESTING_LEVELS} levels`);
  }
  const checked = validate(parsed.body);
  if ("status" in checked || checked.collection === "full") return checked;
  const hidden = findForbiddenName(text);
  return hidden === undefined ? checked : buildMalformed(`${hidden} must not be in an aggregate body`);
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
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

function isTooDeep(value: unknown, level: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (level > MAX_NESTING_LEVELS) return true;
  if (Array.isArray(value)) return value.some((item) => isTooDeep(item, level + 1));
  if (Object.hasOwn(value, "__proto__")) Reflect.deleteProperty(value, "__proto__");
  // Faster than a list of the values, which each object would make anew; parsed JSON inherits nothing enumerable.
  for (const name in value) {
    if (isTooDeep(Reflect.get(value, name), level + 1)) return true;
  }
  return false;
}

function validate(body: unknown): CheckedBody | Refusal {
  if (isObject(body) && Array.isArray(body.events) && body.events.length > MAX_EVENTS) {
    return buildRefusal("too_many_events", `events must be at most ${MAX_EVENTS}`);
  }
  // Only aggregates have the field (SPEC 2.8). A misspelt value must not pass for consent to a full body.
  if (isObject(body) && Object.hasOwn(body, "collection")) {
    const { success, output, issues } = v.safeParse(AGGREGATE_BODY, body, { abortEarly: true });
    return success ? { collection: "aggregate", payload: output } : buildMalformed(describeIssue(issues[0]));
  }
  const { success, output, issues } = v.safeParse(FULL_BODY, body, { abortEarly: true });
  return success ? { collection: "full", payload: output } : buildMalformed(describeIssue(issues[0]));
}

/** Writes an issue as a sentence: `events[3].name must be 1-100 characters`. */
function describeIssue({ path, message }: v.BaseIssue<unknown>): string {
  const isMissing = path?.at(-1)?.origin === "key";
  const rule = isMissing ? " is required" : /^[.[]/.test(message) ? message : ` ${message}`;
  const steps = path?.map(({ type, key }) => type === "array" ? `[${key}]` : `.${key}`) ?? [];
  const sentence = steps.join("") + rule;
  return sentence.startsWith(" ") ? `body${sentence}` : sentence.replace(/^\./, "");
}

/**
 * Builds what is stored of a valid body. Session, identity and context are the event's own: the envelope's are those
 * of the first event (SPEC 2.7) and would be a guess for any other. Aggregates are stored without batch.
 */
function buildStoredEvents({ collection, payload }: CheckedBody, receivedAt: string): readonly StoredEvent[] {
  const { batchId } = payload;
  return collection === "full"
    ? payload.events.map((event) => ({ ...event, collection, receivedAt, batchId }))
    : payload.events.map((event) => ({ ...event, collection, receivedAt }));
}
