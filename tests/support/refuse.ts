import type { TransportAnswer } from "../../src/client/mod.ts";

/** What the ingest says of a key that it doesn't know. */
export const UNKNOWN_KEY = "no such key";

/** Returns the ingest's own answer to a key or an origin that it doesn't know, which a firewall's never is. */
export function refuse(status: 401 | 403 = 401): TransportAnswer {
  const error = { code: "unknown_key", message: UNKNOWN_KEY };
  return { status, text: Promise.resolve(JSON.stringify({ error })) };
}
