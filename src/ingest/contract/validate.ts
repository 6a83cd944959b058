import * as v from "valibot";
import type { AggregatePageviewPayload, EventRequestPayload } from "../../types.ts";
import { AGGREGATE_BODY } from "./aggregate_body.ts";
import { FULL_BODY, MAX_EVENTS } from "./full_body.ts";
import { isObject } from "./is_object.ts";
import { buildMalformed, buildRefusal, type Refusal } from "../request/refusal.ts";

/** A body that keeps every rule, without the fields that the specification doesn't know, or why it was refused. */
export type Validation =
  | { readonly collection: "full"; readonly payload: EventRequestPayload }
  | { readonly collection: "aggregate"; readonly payload: AggregatePageviewPayload }
  | { readonly collection: "none"; readonly refusal: Refusal };

/** Checks a parsed body against the schemas of the contract. The first broken rule is told. */
export function validateBody(body: unknown): Validation {
  if (isObject(body) && Array.isArray(body.events) && body.events.length > MAX_EVENTS) {
    return refuse(buildRefusal("too_many_events", `events must be at most ${MAX_EVENTS}`));
  }
  // Only aggregates have the field (SPEC 2.8). A misspelt value must not pass for consent to a full body.
  if (isObject(body) && Object.hasOwn(body, "collection")) {
    const result = v.safeParse(AGGREGATE_BODY, body, { abortEarly: true });
    return result.success
      ? { collection: "aggregate", payload: result.output }
      : refuse(buildMalformed(describeIssue(result.issues[0])));
  }
  const result = v.safeParse(FULL_BODY, body, { abortEarly: true });
  return result.success
    ? { collection: "full", payload: result.output }
    : refuse(buildMalformed(describeIssue(result.issues[0])));
}

function refuse(refusal: Refusal): Validation {
  return { collection: "none", refusal };
}

/** Writes an issue as a sentence: `events[3].name must be 1-100 characters`. */
function describeIssue({ path, message }: v.BaseIssue<unknown>): string {
  const isMissing = path?.at(-1)?.origin === "key";
  const rule = isMissing ? " is required" : /^[.[]/.test(message) ? message : ` ${message}`;
  const steps = path?.map(({ type, key }) => type === "array" ? `[${key}]` : `.${key}`) ?? [];
  const sentence = steps.join("") + rule;
  return sentence.startsWith(" ") ? `body${sentence}` : sentence.replace(/^\./, "");
}
