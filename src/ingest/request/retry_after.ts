/** What a sender is told to wait where nobody knows how long, in seconds. */
export const DEFAULT_RETRY_S = 5;

/** Longest that a sender is told to wait, in seconds: an hour. */
const MAX_RETRY_S = 3600;

/** Returns a time in seconds as Retry-After can hold it: whole, from a second to an hour (RFC 9110, 10.2.3). */
export function limitRetryAfter(seconds: number): number {
  return Number.isNaN(seconds) ? DEFAULT_RETRY_S : Math.min(MAX_RETRY_S, Math.max(1, Math.ceil(seconds)));
}
