/**
 * The answers of the ingest. Each carries the CORS headers, for a page can't read an answer without them
 * and would take it for a network error. {@linkcode nameOrigin} adds the two that depend on who asked.
 *
 * @module
 */
import type { Refusal } from "../contract/refusal.ts";

/** An answer as data: to make a `Response` of it costs some runtimes more than the request did. */
export interface Answer {
  /** HTTP status. */
  readonly status: number;
  /** Headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body; null for none. */
  readonly body: string | null;
}

/** Makes the response of an answer. */
export function toResponse({ status, headers, body }: Answer): Response {
  return new Response(body, { status, headers });
}

/** Seconds for which a browser may keep a preflight's answer; Chromium's upper bound. */
const PREFLIGHT_MAX_AGE_S = 7200;

const ALLOWED_METHODS = "POST, OPTIONS";

const CORS_HEADERS: Readonly<Record<string, string>> = {
  // Every origin may read every answer: the ingest reads no cookie, and the key is publishable.
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "Retry-After",
};

/**
 * Names the origin that asked in an answer, and allows credentials: a page may have put something in place of `fetch()`
 * that sends cookies along, and no browser takes `*` for such a request (Fetch standard, CORS check).
 */
export function nameOrigin(answer: Answer, origin: string | null): Answer {
  if (!origin) return answer;
  const { status, headers, body } = answer;
  const named = {
    ...headers,
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Allow-Credentials": "true",
  };
  return { status, headers: named, body };
}

const JSON_HEADERS: Readonly<Record<string, string>> = {
  ...CORS_HEADERS,
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
  // The answer names it, and whether a key is taken depends on it.
  "Vary": "Origin",
  "X-Content-Type-Options": "nosniff",
};

/** The headers of a request (SPEC 4.1). */
const OWN_NAMES = "content-type, x-api-key, x-vendor-sdk-version";

/** Names of headers, as a browser lists them (Fetch standard, CORS-preflight fetch; RFC 9110, 5.6.2). */
const NAMES = /^[\w!#$%&'*+.^`|~-]+(?:[\t ]*,[\t ]*[\w!#$%&'*+.^`|~-]+)*$/;

/** Longest list of names that is answered. A page has a handful, of some twenty characters each. */
const MAX_NAMES_CHARACTERS = 4096;

/**
 * Answers a preflight of any origin: it carries no key to check one against (Fetch standard, CORS).
 * Allows each header that the page is about to send. Tracing adds some to every request of a page, and ignoring them is
 * better than losing the events; `*` wouldn't do, since it leaves out `Authorization`.
 *
 * @param asked The header `Access-Control-Request-Headers`.
 */
export function answerPreflight(asked: string | null): Answer {
  return {
    status: 204,
    headers: {
      ...CORS_HEADERS,
      "Access-Control-Allow-Methods": "POST",
      "Access-Control-Allow-Headers": asked !== null && isListOfNames(asked) ? asked : OWN_NAMES,
      "Access-Control-Max-Age": String(PREFLIGHT_MAX_AGE_S),
      "Vary": "Origin, Access-Control-Request-Headers",
      "Allow": ALLOWED_METHODS,
    },
    body: null,
  };
}

function isListOfNames(text: string): boolean {
  return text.length <= MAX_NAMES_CHARACTERS && NAMES.test(text);
}

/** Number of a request's events that were taken, and of those that weren't. */
export interface StoredCounts {
  /** Stored now. */
  readonly accepted: number;
  /** Stored before. */
  readonly duplicates: number;
  /** Left out because they break the plan, where that is refused. */
  readonly refused?: number | undefined;
}

/** Answers a request whose events are durable. */
export function answerStored({ accepted, duplicates, refused }: StoredCounts): Answer {
  return { status: 202, headers: JSON_HEADERS, body: JSON.stringify({ accepted, duplicates, refused }) };
}

/** A refusal of the ingest, of a sink or of a server. */
export interface AnsweredRefusal extends Omit<Refusal, "status" | "code"> {
  /** HTTP status. */
  readonly status: number;
  /** Machine-readable reason. */
  readonly code: string;
}

/** Answers a request that isn't taken. */
export function answerRefusal({ status, code, message, retryAfterS }: AnsweredRefusal): Answer {
  const headers = {
    ...JSON_HEADERS,
    ...(status === 405 && { "Allow": ALLOWED_METHODS }),
    ...(status === 415 && { "Accept-Encoding": "gzip, identity" }),
    ...(retryAfterS !== undefined && { "Retry-After": String(retryAfterS) }),
  };
  return { status, headers, body: JSON.stringify({ error: { code, message } }) };
}
