/** Machine-readable reason, the `error.code` of an answer in JSON. */
export type ProblemCode =
  | "unauthorized"
  | "rate_limited"
  | "method_not_allowed"
  | "bad_range"
  | "bad_format"
  | "bad_table"
  | "unknown_site"
  | "unavailable";

/** A request for a report that isn't answered with one. */
export interface Problem {
  /** HTTP status. */
  readonly status: 400 | 401 | 404 | 405 | 429 | 503;
  /** Machine-readable reason. */
  readonly code: ProblemCode;
  /** One sentence for the person who asked. */
  readonly message: string;
  /** Whole seconds after which to try again; present with 429 and 503. */
  readonly retryAfterS?: number;
}
