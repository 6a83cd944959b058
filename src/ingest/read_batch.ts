import { readBody } from "./body.ts";
import type { ResolvedKey } from "./keyring.ts";
import { parseBody } from "./parse.ts";
import type { Refusal } from "./refusal.ts";
import type { ReceivedBatch } from "./sink.ts";
import { buildStoredEvents } from "./stored_event.ts";
import { validateBody } from "./validate.ts";

/** What {@linkcode readBatch} takes. */
export interface ReadBatchOptions {
  /** The sender's key. */
  readonly key: ResolvedKey;
  /** Current time in milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** How long the body may take; undefined for no limit. */
  readonly bodyTimeoutMs: number | undefined;
}

/**
 * Reads the events of a request whose headers are in order.
 *
 * @throws Whatever the body's stream fails with.
 */
export async function readBatch(
  request: Request,
  { key, now, bodyTimeoutMs }: ReadBatchOptions,
): Promise<ReceivedBatch | Refusal> {
  // Before the body: once a connection has gone, Deno's headers can't be read any more.
  const origin = request.headers.get("Origin");
  const sdkVersion = request.headers.get("X-Vendor-SDK-Version") ?? "";
  const body = await readBody(request, bodyTimeoutMs);
  if ("status" in body) return body;
  const parsed = parseBody(body);
  if ("refusal" in parsed) return parsed.refusal;
  const valid = validateBody(parsed.body);
  if (valid.collection === "none") return valid.refusal;
  const events = buildStoredEvents(valid, new Date(now()).toISOString());
  return { apiKey: key.apiKey, events, body, sdkVersion, ...(origin !== null && { origin }) };
}
