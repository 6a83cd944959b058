import { isCompressed } from "./body.ts";
import { findForbiddenName } from "../contract/anonymous.ts";
import type { ResolvedKey } from "../keys/keyring.ts";
import { parseBody } from "./parse.ts";
import type { Bytes } from "./read_at_most.ts";
import { buildMalformed, type Refusal } from "./refusal.ts";
import type { ReceivedBatch, StoredEvent } from "../sinks/sink.ts";
import { validateBody, type Validation } from "../contract/validate.ts";

/** What the headers of a request say of its events. */
export interface BatchHeaders {
  /** Origin of the page; none where no browser sent it. */
  readonly origin?: string;
  /** Version of the SDK. */
  readonly sdkVersion: string;
  /** Whether the body is gzip. */
  readonly isGzip: boolean;
}

/** What {@linkcode readBatch} takes. */
export interface ReadBatchOptions {
  /** What the headers say. */
  readonly headers: BatchHeaders;
  /** The sender's key. */
  readonly key: ResolvedKey;
  /** Current time in milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** Reads the headers. Before the body: once a connection has gone, Deno's headers can't be read any more. */
export function readBatchHeaders(headers: Headers): BatchHeaders {
  const origin = headers.get("Origin");
  return {
    sdkVersion: headers.get("X-Vendor-SDK-Version") ?? "",
    isGzip: isCompressed(headers),
    ...(origin !== null && { origin }),
  };
}

/** Reads the events of a body that is here, and decompressed. */
export function readBatch(
  body: Bytes,
  { headers: { isGzip: _isGzip, ...headers }, key, now }: ReadBatchOptions,
): ReceivedBatch | Refusal {
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
    ...headers,
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
