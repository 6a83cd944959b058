/** Returns the ISO 8601 UTC text of a time in milliseconds since the Unix epoch. */
export function toIsoTimestamp(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

/** Returns the time of such a text; NaN where it's none. */
export function parseTimestamp(text: string): number {
  return +new Date(text); // not Date.parse(), which libraries replace
}

/**
 * Reads a `Retry-After` value, which is a number of seconds or an HTTP date (RFC 9110, 10.2.3).
 *
 * @returns Milliseconds from `nowMs`; 0 when absent, unreadable or over.
 */
export function parseRetryAfter(value: string | null, nowMs: number): number {
  return Math.max(0, Number(value) * 1000 || parseTimestamp(`${value}`) - nowMs || 0);
}
