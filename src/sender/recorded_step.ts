import { attempt } from "../client/base/attempt.ts";
import { MAX_CONTEXT_FIELD_LENGTH, MAX_PROPERTIES_BYTES } from "../client/base/limits.ts";
import type { EventContext } from "../client/base/types.ts";
import { utf8Length } from "../client/base/utf8.ts";
import { SDK_NAME, SDK_VERSION } from "../client/base/version.ts";
import { toJson } from "../client/json.ts";
import type { SenderDropReason, SenderStep } from "./options.ts";

/** A step as it waits: nothing that its caller does to it afterwards changes it. */
export interface RecordedStep {
  /** The caller's ID, of which the event's is made; absent where that is random. */
  readonly dedupeId: string | undefined;
  /** ID of the event where there is no ID of the caller's. */
  readonly randomId: string;
  /** Its identity as JSON text. */
  readonly identity: string;
  /** The fields of the event behind its ID, as JSON texts by their names. */
  readonly fields: string;
  /** UTF-8 bytes of the event. */
  readonly bytes: number;
}

/** Why a step can't be sent. */
export interface UnfitStep {
  readonly reason: SenderDropReason;
  /** The fault, for the developer; repeats nothing of the step. */
  readonly problem: string;
}

/** The part of the context that every event has. */
export const CONTEXT: EventContext = { sdkName: SDK_NAME, sdkVersion: SDK_VERSION };

/** Bytes of an event's `{"id":"…",}` */
const ID_BYTES = 46;

/** A JSON time that the contract takes has four digits for its year. */
const TIME_CHARACTERS = "2026-01-31T12:00:00.000Z".length;

/** Copies a step, or says what is wrong with it. Never throws, whatever it is handed. */
export function recordStep(step: SenderStep, nowMs: number): RecordedStep | UnfitStep {
  return attempt(() => record(step, nowMs)) ?? { reason: "invalid", problem: "the step can't be read" };
}

function record(step: SenderStep, nowMs: number): RecordedStep | UnfitStep {
  const { userId, anonymousId, sessionId, pageUrl, name, properties, timestamp = new Date(nowMs), dedupeId } = step;
  const problem = (isText(name, 100) ? undefined : "name must be 1-100 characters") ??
    (userId === null || isText(userId, 1000) ? undefined : "userId must be 1-1000 characters, or null") ??
    (anonymousId === undefined || isId(anonymousId) ? undefined : "anonymousId must be 1-128 characters") ??
    (sessionId === undefined || isId(sessionId) ? undefined : "sessionId must be 1-128 characters") ??
    (pageUrl === undefined || isUrl(pageUrl)
      ? undefined
      : "pageUrl must be an absolute URL with a host, without a password, of 8192 characters at most") ??
    (dedupeId === undefined || isWhole(dedupeId)
      ? undefined
      : "dedupeId must be a non-empty string without lone surrogates") ??
    (isTime(timestamp) ? undefined : "timestamp must be a Date of the years 0 to 9999");
  if (problem !== undefined) return { reason: "invalid", problem };
  const json = properties === undefined ? undefined : attempt(() => toJson(properties));
  if (properties !== undefined && json === undefined) {
    return { reason: "invalid", problem: "properties must be an object that JSON can hold" };
  }
  if (json !== undefined && utf8Length(json) > MAX_PROPERTIES_BYTES) {
    return { reason: "too_large", problem: "properties are over 32 KiB of JSON" };
  }
  const identity = JSON.stringify({ userId, anonymousId });
  const fields = [
    `"name":${JSON.stringify(name)}`,
    ...(json === undefined ? [] : [`"properties":${json}`]),
    `"timestamp":"${timestamp.toISOString()}"`,
    ...(sessionId === undefined ? [] : [`"sessionId":${JSON.stringify(sessionId)}`]),
    `"identity":${identity}`,
    ...(pageUrl === undefined ? [] : [`"context":${JSON.stringify({ ...CONTEXT, pageUrl })}`]),
  ].join();
  return { dedupeId, randomId: crypto.randomUUID(), identity, fields, bytes: utf8Length(fields) + ID_BYTES };
}

/** Returns whether a value is a string of 1 to so many characters (Unicode code points). */
function isText(value: unknown, max: number): boolean {
  if (typeof value !== "string" || value === "") return false;
  return value.length <= max || (value.length <= 2 * max && [...value].length <= max);
}

/** Returns whether the ingest takes a value for an identifier: stores that keep UTF-8 have no lone surrogates. */
function isId(value: unknown): boolean {
  return isText(value, 128) && isWhole(value);
}

/** Returns whether a value is a string that UTF-8 can hold: two that differ in lone surrogates would be the same. */
function isWhole(value: unknown): boolean {
  return isText(value, Infinity) && String(value).isWellFormed();
}

/** Returns whether the value is the URL of a page: with a host, and without a user's name or password. */
function isUrl(value: unknown): boolean {
  const text = isWhole(value) ? String(value) : "";
  if (text.length > MAX_CONTEXT_FIELD_LENGTH || text !== text.trim() || !URL.canParse(text)) return false;
  const { host, username, password } = new URL(text);
  return host !== "" && username === "" && password === "";
}

function isTime(value: unknown): boolean {
  return value instanceof Date && !Number.isNaN(value.getTime()) && value.toISOString().length === TIME_CHARACTERS;
}
