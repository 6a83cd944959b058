import { answerPreflight, answerRefusal, answerStored } from "./answers.ts";
import { MAX_BODY_BYTES, readBody } from "./body.ts";
import { createKeyring } from "./keyring.ts";
import type { IngestOptions } from "./options.ts";
import { parseBody } from "./parse.ts";
import type { Refusal } from "./refusal.ts";
import { checkHeaders, checkOrigin, checkRoute, findSender } from "./request_checks.ts";
import type { ResolvedKey } from "./keyring.ts";
import type { ReceivedBatch, SinkRefusal, StoreResult } from "./sink.ts";
import { buildStoredEvents } from "./stored_event.ts";
import { validateBody } from "./validate.ts";

/** Answers one request; never rejects. Mounts wherever a Web-standard handler does (Fetch standard). */
export type Ingest = (request: Request) => Promise<Response>;

/** Path of the ingest endpoint (SPEC 4.1, 9). */
const DEFAULT_PATH = "/v1/events";

/** What a sender is told to wait when events couldn't be stored, in seconds. */
const UNAVAILABLE_RETRY_S = 5;

const UNAVAILABLE: Refusal = {
  status: 503,
  code: "unavailable",
  message: "the events couldn't be stored, try again later",
  retryAfterS: UNAVAILABLE_RETRY_S,
};

const BODY_TOO_LARGE: Refusal = {
  status: 413,
  code: "body_too_large",
  message: `body must be at most ${MAX_BODY_BYTES} bytes`,
};

/**
 * Creates the receiving side: checks requests against the specification and stores their events once per
 * key and event ID. A request is answered 202 only after the sink has stored it.
 *
 * @example
 * ```ts
 * import { createIngest, createMemorySink } from "@vendor/sdk/ingest";
 *
 * const ingest = createIngest({
 *   keys: [{ apiKey: "pk_live_1", origins: ["https://shop.example"] }],
 *   sink: createMemorySink(),
 * });
 * const answer = await ingest(new Request("https://ingest.shop.example/v1/events"));
 * console.log(answer.status); // 405
 * ```
 *
 * @throws {TypeError} When the keys are none, listed twice or could never match a request.
 */
export function createIngest(options: IngestOptions): Ingest {
  const { sink, path = DEFAULT_PATH, now = Date.now, throttle = () => 0 } = options;
  const keyring = createKeyring(options.keys);
  const notifyEvents = guard(options.onEvents);
  const notifyOutcome = guard(options.onOutcome);
  const reportError = guard(options.onError);

  /** Goes through the checks in the contract's order; the first that fails is the answer. */
  async function readBatch(request: Request, key: ResolvedKey): Promise<ReceivedBatch | Refusal> {
    const { headers } = request;
    const originFault = checkOrigin(headers, key);
    if (originFault !== undefined) return originFault;
    const waitMs = await throttle(key.apiKey);
    if (waitMs > 0) return buildRateLimited(waitMs);
    const headerFault = checkHeaders(headers);
    if (headerFault !== undefined) return headerFault;
    const body = await readBody(request.body, MAX_BODY_BYTES);
    if (body === undefined) return BODY_TOO_LARGE;
    const parsed = parseBody(body);
    if ("refusal" in parsed) return parsed.refusal;
    const valid = validateBody(parsed.body);
    if (valid.collection === "none") return valid.refusal;
    const receivedAt = new Date(now()).toISOString();
    const events = buildStoredEvents(valid, receivedAt);
    const origin = headers.get("Origin");
    const sdkVersion = headers.get("X-Vendor-SDK-Version") ?? "";
    return { apiKey: key.apiKey, events, body, sdkVersion, ...(origin !== null && { origin }) };
  }

  async function receive(request: Request, key: ResolvedKey): Promise<Response> {
    const batch = await readBatch(request, key);
    if ("status" in batch) return refuse(batch, key);
    const result = await sink.store(batch);
    return "status" in result ? passRefusalOn(result, key) : acknowledge(result, key);
  }

  function acknowledge({ accepted, duplicates, events = [] }: StoreResult, { name }: ResolvedKey): Response {
    if (events.length > 0) notifyEvents(events);
    notifyOutcome({ kind: "stored", keyName: name, accepted, duplicates });
    return answerStored(accepted, duplicates);
  }

  // What others said may repeat a key or an identity: it goes to its sender, not into logs.
  function passRefusalOn(refusal: SinkRefusal, { name }: ResolvedKey): Response {
    const { status } = refusal;
    const message = "the sink refused the events";
    notifyOutcome({ kind: "refused", keyName: name, status, code: "refused_by_sink", message });
    return answerRefusal(refusal);
  }

  function refuse(refusal: Refusal, key?: ResolvedKey): Response {
    const { status, code, message } = refusal;
    notifyOutcome({ kind: "refused", ...(key && { keyName: key.name }), status, code, message });
    return answerRefusal(refusal);
  }

  return async (request) => {
    let key: ResolvedKey | undefined;
    try {
      const misrouted = checkRoute(request, path);
      if (misrouted !== undefined) return refuse(misrouted);
      if (request.method === "OPTIONS") return answerPreflight();
      const sender = findSender(request.headers, keyring);
      if ("status" in sender) return refuse(sender);
      key = sender;
      return await receive(request, key);
    } catch (error) {
      // Whatever failed, the sender is to keep its events and come back: never a 500.
      reportError(error);
      return refuse(UNAVAILABLE, key);
    }
  };
}

function buildRateLimited(waitMs: number): Refusal {
  return {
    status: 429,
    code: "rate_limited",
    message: "too many requests with this key, try again later",
    retryAfterS: Math.ceil(waitMs / 1000),
  };
}

function guard<T>(listener: ((value: T) => void) | undefined): (value: T) => void {
  return (value) => {
    try {
      listener?.(value);
    } catch {
      // A listener that throws must not turn stored events into an error for their sender.
    }
  };
}
