/**
 * Refusals: the ingest's answers to requests that it doesn't take.
 *
 * @module
 */

/** A request that wasn't taken, as told to the sender. Repeats nothing of the key or the body. */
export interface Refusal {
  /** HTTP status. */
  readonly status: 400 | 401 | 403 | 404 | 405 | 413 | 415 | 429 | 503;
  /** Machine-readable reason, the `error.code` of the answer's body. */
  readonly code:
    | "malformed"
    | "unknown_key"
    | "unknown_secret"
    | "origin_not_registered"
    | "secret_with_origin"
    | "not_found"
    | "method_not_allowed"
    | "body_too_large"
    | "too_many_events"
    | "too_many_values"
    | "unsupported_media_type"
    | "rate_limited"
    | "incomplete_body"
    | "unavailable";
  /** One sentence for the developer who reads it; names fields by their JSON path. */
  readonly message: string;
  /** Whole seconds after which to try again; present with 429 and 503. */
  readonly retryAfterS?: number;
}

/** The status of each refusal. */
export const REFUSAL_STATUSES: Readonly<Record<Refusal["code"], Refusal["status"]>> = {
  malformed: 400,
  unknown_key: 401,
  unknown_secret: 401,
  origin_not_registered: 403,
  secret_with_origin: 403,
  not_found: 404,
  method_not_allowed: 405,
  body_too_large: 413,
  too_many_events: 413,
  too_many_values: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  incomplete_body: 503,
  unavailable: 503,
};

/** Builds a refusal. */
export function buildRefusal(code: Refusal["code"], message: string): Refusal {
  return { status: REFUSAL_STATUSES[code], code, message };
}

/** Builds the refusal of a request whose headers or body break the specification. */
export function buildMalformed(message: string): Refusal {
  return buildRefusal("malformed", message);
}

/** The refusal of a method that sends no events (SPEC 4.1). */
export const METHOD_NOT_ALLOWED: Refusal = buildRefusal("method_not_allowed", "events are sent with POST");

/** Seconds that a sender is told to wait where nobody knows how long. */
export const DEFAULT_RETRY_S = 5;

/** Longest that a sender is told to wait, in seconds: an hour. */
const MAX_RETRY_S = 3600;

/** Returns a time in seconds as Retry-After can hold it: whole, from a second to an hour (RFC 9110, 10.2.3). */
export function limitRetryAfter(seconds: number): number {
  return Number.isNaN(seconds) ? DEFAULT_RETRY_S : Math.min(MAX_RETRY_S, Math.max(1, Math.ceil(seconds)));
}
