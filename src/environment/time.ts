/** Returns the ISO 8601 UTC text of a time in milliseconds since the Unix epoch. */
export function toIsoTimestamp(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

/**
 * Reads a `Retry-After` value, which is a number of seconds or an HTTP date (RFC 9110, 10.2.3).
 *
 * @returns Milliseconds from `nowMs`, never negative; undefined when absent or unreadable.
 */
export function parseRetryAfter(value: string | null, nowMs: number): number | undefined {
  const delayMs = /^\d+$/.test(value ?? "") ? Number(value) * 1000 : Date.parse(value ?? "") - nowMs;
  return Number.isNaN(delayMs) ? undefined : Math.max(0, delayMs);
}
