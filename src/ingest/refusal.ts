/**
 * What the ingest says when it doesn't take a request (CONTRACT 27).
 *
 * @module
 */

/** Machine-readable reason of a refusal, the `error.code` of the answer's body. */
export type RefusalCode =
  | "malformed"
  | "unknown_key"
  | "origin_not_registered"
  | "not_found"
  | "method_not_allowed"
  | "body_too_large"
  | "too_many_events"
  | "unsupported_media_type"
  | "rate_limited"
  | "unavailable"
  | "refused_by_sink";

/** A request that wasn't taken, as told to the sender. Repeats nothing of the key or the body. */
export interface Refusal {
  /** HTTP status. */
  readonly status: 400 | 401 | 403 | 404 | 405 | 413 | 415 | 429 | 503;
  /** Machine-readable reason. */
  readonly code: RefusalCode;
  /** One sentence for the developer who reads it; names fields by their JSON path. */
  readonly message: string;
  /** Whole seconds after which to try again; present with 429 and 503. */
  readonly retryAfterS?: number;
}

/** Builds the refusal of a request whose headers or body break the specification. */
export function buildMalformed(message: string): Refusal {
  return { status: 400, code: "malformed", message };
}
