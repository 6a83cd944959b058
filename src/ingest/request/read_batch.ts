import { readBody } from "./body.ts";
import { findForbiddenName } from "../contract/anonymous.ts";
import type { ResolvedKey } from "../keys/keyring.ts";
import { parseBody } from "./parse.ts";
import { buildMalformed, type Refusal } from "./refusal.ts";
import type { ReceivedBatch, StoredEvent } from "../sinks/sink.ts";
import { validateBody, type Validation } from "../contract/validate.ts";

/** What {@linkcode readBatch} takes. */
export interface ReadBatchOptions {
  /** The sender's key. */
  readonly key: ResolvedKey;
  /** Current time in milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** How long the body may take; undefined for no limit. */
  readonly bodyTimeoutMs: number | undefined;
}

/** Reads the events of a request whose headers are in order. */
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
  const valid = validate(parsed);
  if (valid.collection === "none") return valid.refusal;
  const events = buildStoredEvents(valid, new Date(now()).toISOString());
  return {
    apiKey: key.apiKey,
    events,
    // What another parser might find in the bytes of an aggregate, nobody has checked.
    body: valid.collection === "full" ? body : new TextEncoder().encode(JSON.stringify(valid.payload)),
    sdkVersion,
    ...(origin !== null && { origin }),
  };
}

function validate({ body, text }: { readonly body: unknown; readonly text: string }): Validation {
  const valid = validateBody(body);
  const hidden = valid.collection === "aggregate" ? findForbiddenName(text) : undefined;
  if (hidden === undefined) return valid;
  return { collection: "none", refusal: buildMalformed(`${hidden} must not be in an aggregate body`) };
}

/**
 * Builds what is stored of a valid body. Session, identity and context are the event's own: the envelope's are those
 * of the first event (SPEC 2.7) and would be a guess for any other. Aggregates are stored without batch.
 */
function buildStoredEvents(
  { collection, payload }: Exclude<Validation, { readonly collection: "none" }>,
  receivedAt: string,
): readonly StoredEvent[] {
  const { batchId } = payload;
  return collection === "full"
    ? payload.events.map((event) => ({ ...event, collection, receivedAt, batchId }))
    : payload.events.map((event) => ({ ...event, collection, receivedAt }));
}
