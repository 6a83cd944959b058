/**
 * The answers of the ingest. Each carries the CORS headers, for a page can't read an answer without them
 * and would take it for a network error.
 *
 * @module
 */
import type { SinkRefusal } from "../sinks/sink.ts";

/** Seconds for which a browser may keep a preflight's answer; Chromium's upper bound. */
const PREFLIGHT_MAX_AGE_S = 7200;

const ALLOWED_METHODS = "POST, OPTIONS";

const CORS_HEADERS: Readonly<Record<string, string>> = {
  // Requests carry no credentials but the publishable key, so that every origin may read every answer.
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "Retry-After",
};

const JSON_HEADERS: Readonly<Record<string, string>> = {
  ...CORS_HEADERS,
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
  // Whether a key is taken depends on the origin it is sent from.
  "Vary": "Origin",
  "X-Content-Type-Options": "nosniff",
};

/** Answers a preflight, the same for every origin: it carries no key to check one against (Fetch standard, CORS). */
export function answerPreflight(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...CORS_HEADERS,
      "Access-Control-Allow-Methods": "POST",
      "Access-Control-Allow-Headers": "content-type, x-api-key, x-vendor-sdk-version",
      "Access-Control-Max-Age": String(PREFLIGHT_MAX_AGE_S),
      "Allow": ALLOWED_METHODS,
    },
  });
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
export interface AnsweredRefusal extends Omit<SinkRefusal, "status"> {
  /** HTTP status. */
  readonly status: number;
}

/** Answers a request that isn't taken. */
export function answerRefusal({ status, code, message, retryAfterS }: AnsweredRefusal): Response {
  const headers = new Headers(JSON_HEADERS);
  if (status === 405) headers.set("Allow", ALLOWED_METHODS);
  if (status === 415) headers.set("Accept-Encoding", "gzip, identity");
  if (retryAfterS !== undefined) headers.set("Retry-After", String(retryAfterS));
  return new Response(JSON.stringify({ error: { code, message } }), { status, headers });
}
