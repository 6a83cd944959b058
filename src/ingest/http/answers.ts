/**
 * The answers of the ingest. Each carries the CORS headers, for a page can't read an answer without them
 * and would take it for a network error. {@linkcode nameOrigin} adds the two that depend on who asked.
 *
 * @module
 */
import type { Refusal } from "../contract/refusal.ts";

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
export function nameOrigin(answer: Response, origin: string | null): Response {
  if (!origin) return answer;
  answer.headers.set("Access-Control-Allow-Origin", origin);
  answer.headers.set("Access-Control-Allow-Credentials", "true");
  return answer;
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
 */
export function answerPreflight(headers: Headers): Response {
  const asked = headers.get("Access-Control-Request-Headers") ?? "";
  return new Response(null, {
    status: 204,
    headers: {
      ...CORS_HEADERS,
      "Access-Control-Allow-Methods": "POST",
      "Access-Control-Allow-Headers": isListOfNames(asked) ? asked : OWN_NAMES,
      "Access-Control-Max-Age": String(PREFLIGHT_MAX_AGE_S),
      "Vary": "Origin, Access-Control-Request-Headers",
      "Allow": ALLOWED_METHODS,
    },
  });
}

function isListOfNames(text: string): boolean {
  return text.length <= MAX_NAMES_CHARACTERS && NAMES.test(text);
}

/** How many events of a request were taken, and how many weren't. */
export interface StoredCounts {
  /** Stored now. */
  readonly accepted: number;
  /** Stored before. */
  readonly duplicates: number;
  /** Left out because they break the plan, where that is refused. */
  readonly refused?: number | undefined;
}

/** Answers a request whose events are durable. */
export function answerStored({ accepted, duplicates, refused }: StoredCounts): Response {
  return new Response(JSON.stringify({ accepted, duplicates, refused }), { status: 202, headers: JSON_HEADERS });
}

/** What an answer says that isn't 202: a refusal of the ingest, of a sink or of a server. */
export interface AnsweredRefusal extends Omit<Refusal, "status" | "code"> {
  /** HTTP status. */
  readonly status: number;
  /** Machine-readable reason. */
  readonly code: string;
}

/** Answers a request that isn't taken. */
export function answerRefusal({ status, code, message, retryAfterS }: AnsweredRefusal): Response {
  const headers = new Headers(JSON_HEADERS);
  if (status === 405) headers.set("Allow", ALLOWED_METHODS);
  if (status === 415) headers.set("Accept-Encoding", "gzip, identity");
  if (retryAfterS !== undefined) headers.set("Retry-After", String(retryAfterS));
  return new Response(JSON.stringify({ error: { code, message } }), { status, headers });
}
