/**
 * Stages of a request. {@linkcode createGuardedIngest} has them in their order.
 *
 * @module
 */
import { type Answer, answerPreflight, answerRefusal, answerStored } from "./http/answers.ts";
import { type Bytes, createStopSignal, decompress, stopReading } from "./http/body.ts";
import { readBatch } from "./http/read_batch.ts";
import { type IngestRequest, receiveBody } from "./http/request.ts";
import {
  buildMalformed,
  buildRefusal,
  DEFAULT_RETRY_S,
  limitRetryAfter,
  METHOD_NOT_ALLOWED,
  type Refusal,
  REFUSAL_STATUSES,
} from "./contract/refusal.ts";
import type { RequestSender } from "./keys/flag_events.ts";
import { isRegistered, type Keyring, type ResolvedKey } from "./keys/keyring.ts";
import type { IngestOutcome } from "./options.ts";
import type { BatchPlan } from "./plan.ts";
import type { ReceivedBatch, StoreResult } from "./events/received_batch.ts";
import type { StoredEvent } from "./events/stored_event.ts";
import type { EventSink, SinkRefusal } from "./ports/sink.ts";

/** Where a request comes from. */
export interface Arrival {
  /** Address of the sender; undefined where it isn't known. */
  readonly address: string | undefined;
  /** Network of the address. */
  readonly network: string | undefined;
  /** Country of the sender, as a trusted proxy names it; undefined where none does. */
  readonly country: string | undefined;
  /** When its headers were here, by `performance.now()`. */
  readonly startMs: number;
}

/** A request on its way: each stage adds what it found, and takes what those before it have added. */
export interface Exchange {
  /** The request. */
  readonly request: IngestRequest;
  /** Where it comes from. */
  readonly arrival: Arrival;
  /** The header `Origin`, of the stage of the route; null where it's missing. */
  origin: string | null;
  /** The sender's key, of the stage that finds it. */
  key: ResolvedKey | undefined;
  /** Who sent it, of the stage that checks that; absent for a backend, whose agent and address aren't a visitor's. */
  sender: RequestSender | undefined;
  /** Whether the body is compressed, of the stage of the headers. */
  isGzip: boolean;
  /** The body, of the stage that reads it: first as it was sent, then as it is. */
  body: Bytes;
  /** The events of the body. */
  events: readonly StoredEvent[];
}

/** The result of a stage: a refusal or an answer ends the request, nothing leaves it to the next stage. */
export type Verdict = Refusal | Answer | undefined;

/** A stage that is done with a request when it returns. */
export type Stage = (exchange: Exchange) => Verdict | Promise<Verdict>;

/** A stage that stands around all those behind it: it begins them, and hears of their end. */
export interface StageAround {
  /** Answers instead, or begins the stages behind it, which answer and never reject. */
  readonly around: (exchange: Exchange, next: () => Answer | Promise<Answer>) => Answer | Promise<Answer>;
}

/** Begins the way of a request. */
export function createExchange(request: IngestRequest, arrival: Arrival): Exchange {
  return {
    request,
    arrival,
    origin: null,
    key: undefined,
    sender: undefined,
    isGzip: false,
    body: NO_BYTES,
    events: [],
  };
}

const NO_BYTES: Bytes = new Uint8Array();

/** The part of a sender that is shown: anybody can send anything, which doesn't belong into a log. */
const ORIGIN = /^(?:null|[a-z][a-z0-9+.-]{0,30}:\/\/[a-z0-9.:[\]_-]{1,260})$/i;

const KNOWN_STATUSES: ReadonlySet<Refusal["status"]> = new Set(Object.values(REFUSAL_STATUSES));

/** JSON, whatever its parameters: none has a meaning (RFC 8259, 11), and the bytes say whether they are UTF-8. */
const JSON_TYPE = /^application\/json[\t ]*(?:;|$)/i;

/** RFC 9110, 8.4.1 */
const GZIP = /^(?:x-)?gzip$/i;

const NOT_FOUND: Refusal = buildRefusal("not_found", "there is nothing at this path");

const NO_HOST: Refusal = buildMalformed("header Host must be a host");

/** The refusal of a sending secret that isn't one of the key's, or was revoked. */
const UNKNOWN_SECRET: Refusal = buildRefusal(
  "unknown_secret",
  "header Authorization must carry a sending secret of this key, or be missing",
);

/** The refusal of a page that has the secret of a backend. */
const SECRET_WITH_ORIGIN: Refusal = buildRefusal(
  "secret_with_origin",
  "a sending secret must never be in a page: revoke it",
);

/** Refuses another path or method, and answers preflights. */
export function createRoute(path: string): Stage {
  return (exchange) => {
    const { request } = exchange;
    const { method } = request;
    // Before the body: once a connection has gone, Deno's headers can't be read any more.
    exchange.origin = request.headers.get("Origin");
    if (request.path !== path) return request.path === undefined ? NO_HOST : NOT_FOUND;
    if (method === "POST") return undefined;
    return method === "OPTIONS"
      ? answerPreflight(request.headers.get("Access-Control-Request-Headers"))
      : METHOD_NOT_ALLOWED;
  };
}

/** Finds the key. */
export function createKeyFinder({ find }: Keyring): Stage {
  return (exchange) => {
    exchange.key = find(exchange.request.headers.get("X-API-Key"));
    return exchange.key === undefined ? refuseKey(exchange.origin) : undefined;
  };
}

/** Refuses who may not send with the key: a page that isn't registered for it, and a backend without its secret. */
export function createSenderCheck({ findOfSecret }: Keyring): Stage {
  async function checkSecret(secret: string, origin: string | null, key: ResolvedKey): Promise<Verdict> {
    const apiKey = await findOfSecret(secret);
    // Pages and applications may send tokens of their own, which mean nothing here: some add one to each request.
    if (origin !== null) return apiKey === undefined ? checkOrigin(origin, key) : SECRET_WITH_ORIGIN;
    return apiKey === key.apiKey || key.origins === "any" ? undefined : UNKNOWN_SECRET;
  }

  return (exchange) => {
    const { request: { headers }, arrival: { address, country }, origin } = exchange;
    const key = keyOf(exchange);
    // What comes without an Origin is of a backend.
    if (origin !== null) exchange.sender = { origin, agent: headers.get("User-Agent"), address, country };
    const secret = readBearerToken(headers.get("Authorization"));
    return secret === undefined ? checkOrigin(origin, key) : checkSecret(secret, origin, key);
  };
}

/** Refuses a body that isn't announced as JSON, plain or gzipped, and a request without SDK version (SPEC 4.1, 9). */
export function checkHeaders(exchange: Exchange): Verdict {
  const { headers } = exchange.request;
  if (!JSON_TYPE.test(headers.get("Content-Type") ?? "")) {
    return buildRefusal("unsupported_media_type", "header Content-Type must be application/json");
  }
  const encoding = headers.get("Content-Encoding") ?? "";
  exchange.isGzip = GZIP.test(encoding);
  if (!exchange.isGzip && encoding !== "" && encoding.toLowerCase() !== "identity") {
    return buildRefusal("unsupported_media_type", "header Content-Encoding must be gzip, or missing");
  }
  if (!headers.get("X-Vendor-SDK-Version")) return buildMalformed("header X-Vendor-SDK-Version is required");
}

/** Takes a token of the key. What could never be taken was refused before, and spends none. */
export function createRequestBudget(throttle: ((apiKey: string) => number | Promise<number>) | undefined): Stage {
  return (exchange) => {
    const { bucket, apiKey } = keyOf(exchange);
    const waitMs = bucket?.take(exchange.arrival.network) || (throttle?.(apiKey) ?? 0);
    return typeof waitMs === "number" ? refuseRate(waitMs) : Promise.resolve(waitMs).then((ms) => refuseRate(ms));
  };
}

/** Reads the body, in so many milliseconds where there is a limit. */
export function createBodyReader(timeMs: number | undefined): Stage {
  return async (exchange) => {
    const signal = createStopSignal();
    const timer = timeMs === undefined ? undefined : setTimeout(stopReading, timeMs, signal);
    try {
      return keepBody(exchange, await receiveBody(exchange.request, { signal }));
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Keeps a body for the stages to come, or refuses what isn't one. */
export function keepBody(exchange: Exchange, received: Bytes | Refusal): Verdict {
  if ("status" in received) return received;
  exchange.body = received;
}

/** Decompresses a body of gzip. */
export function unzip(exchange: Exchange): Verdict | Promise<Verdict> {
  return exchange.isGzip ? decompress(exchange.body).then((body) => keepBody(exchange, body)) : undefined;
}

/** Takes the bytes of the body of those that may be sent with the key. */
export function spendBytes(exchange: Exchange): Verdict {
  const { bytes } = keyOf(exchange);
  const waitMs = bytes?.take() ?? 0;
  if (waitMs > 0) return refuseRate(waitMs, "too many bytes with this key, try again later");
  // A body may be more than there is: the next one waits for it.
  bytes?.spend(exchange.body.byteLength - 1);
}

/** Checks the body, and makes of it the events as they are stored. */
export function createEventReader(now: () => number): Stage {
  return (exchange) => {
    const { body, sender } = exchange;
    const { apiKey, site, flagEvents, classifyEvents } = keyOf(exchange);
    const received = readBatch(body, { apiKey, now, site: sender ? undefined : site });
    if ("status" in received) return received;
    exchange.events = classifyEvents(flagEvents(received.events, sender), sender);
  };
}

/** Options of {@linkcode createStore}. Listeners never throw. */
export interface StoreOptions {
  /** Where events are stored. */
  readonly sink: EventSink;
  /** The plan of steps. */
  readonly plan: BatchPlan | undefined;
  /** Whether what breaks the plan is left out, and counted in the answer. */
  readonly isRefusing: boolean;
  /** Hears of the events stored now. */
  readonly notifyEvents: (events: readonly StoredEvent[], keyName: string) => void;
  /** Hears what became of a request. */
  readonly notifyOutcome: (outcome: IngestOutcome) => void;
  /** Hears of faults. */
  readonly reportError: (error: unknown) => void;
}

/** Stores the events, and answers. */
export function createStore(options: StoreOptions): Stage {
  const { sink, plan, isRefusing, notifyEvents, notifyOutcome, reportError } = options;

  function acknowledge(batch: ReceivedBatch, result: StoreResult, { key, refused }: Acknowledged): Answer {
    const { accepted, duplicates, erased, events } = result;
    if (events !== undefined && events.length > 0) notifyEvents(events, key.name);
    const use = key.allowance.use(batch, result);
    const ofPlan = plan?.count([...(events ?? batch.events), ...refused]);
    const counts = { accepted, duplicates, ...(isRefusing && { refused: refused.length }) };
    notifyOutcome({
      kind: "stored",
      keyName: key.name,
      ...counts,
      ...(erased && { erased }),
      ...use,
      ...(ofPlan && { violations: ofPlan }),
    });
    return answerStored(counts);
  }

  // What others said may repeat a key or an identity: it goes to its sender, not into logs.
  function passRefusalOn(refusal: SinkRefusal, { name }: ResolvedKey): Answer {
    const { status } = refusal;
    const message = "the sink refused the events";
    notifyOutcome({ kind: "refused", keyName: name, status, code: "refused_by_sink", message });
    return answerRefusal(refusal);
  }

  return async (exchange) => {
    const key = keyOf(exchange);
    const read = { apiKey: key.apiKey, events: exchange.events };
    const checked = plan?.check(read);
    const batch = checked?.batch ?? read;
    const result = await sink.store(batch);
    if (!("status" in result)) return acknowledge(batch, result, { key, refused: checked?.refused ?? [] });
    if (result.cause !== undefined) reportError(result.cause);
    return passRefusalOn(checkSinkRefusal(result), key);
  };
}

/** Whose events were stored, and which weren't. */
interface Acknowledged {
  readonly key: ResolvedKey;
  /** The breaches of the plan. */
  readonly refused: readonly StoredEvent[];
}

/** Returns the key that an earlier stage has found. */
function keyOf({ key }: Exchange): ResolvedKey {
  if (key === undefined) throw new Error("no stage has found the key");
  return key;
}

/** Refuses a key that nobody knows (SPEC 5), and says whose pages have it: the operator's log has no key. */
function refuseKey(origin: string | null): Refusal {
  const of = origin !== null && ORIGIN.test(origin) ? `; the request is of ${origin}` : "";
  return buildRefusal("unknown_key", `header X-API-Key must carry a known key${of}`);
}

/** Refuses a site that isn't registered for the key. */
function checkOrigin(origin: string | null, key: ResolvedKey): Verdict {
  if (isRegistered(key, origin)) return undefined;
  if (origin === null) {
    return buildRefusal("origin_not_registered", "header Origin is missing; a backend needs a sending secret");
  }
  if (!ORIGIN.test(origin)) return buildRefusal("origin_not_registered", "header Origin must be an origin");
  return buildRefusal("origin_not_registered", `the origin ${origin} isn't registered for this key`);
}

/** Reads the token of a header `Authorization` (RFC 6750, 2.1). */
function readBearerToken(authorization: string | null): string | undefined {
  return authorization === null ? undefined : /^Bearer +([^ ]+) *$/i.exec(authorization)?.[1];
}

function refuseRate(waitMs: number, message = "too many requests with this key, try again later"): Verdict {
  if (!(waitMs > 0)) return undefined;
  return { ...buildRefusal("rate_limited", message), retryAfterS: limitRetryAfter(waitMs / 1000) };
}

/**
 * Makes the refusal of a sink keep the contract: 429 and 503 have a time to wait, the others have none.
 *
 * @throws {TypeError} For a status that isn't one of a refusal, as plain JavaScript can return. Whether its sender
 * would keep the events or drop them is anybody's guess.
 */
function checkSinkRefusal({ status, code, message, retryAfterS }: SinkRefusal): SinkRefusal {
  if (!KNOWN_STATUSES.has(status)) {
    throw new TypeError(`the sink refused with ${status}, which is no status of a refusal`);
  }
  const mayReturn = status === 429 || status === 503;
  return { status, code, message, ...(mayReturn && { retryAfterS: limitRetryAfter(retryAfterS ?? DEFAULT_RETRY_S) }) };
}
