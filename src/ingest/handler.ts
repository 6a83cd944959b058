import { answerPreflight, answerRefusal, answerStored, nameOrigin } from "./http/answers.ts";
import { guard } from "./platform/guard.ts";
import { isPath } from "./contract/syntax.ts";
import { createKeyring, isRegistered, type Keyring, type ResolvedKey } from "./keys/keyring.ts";
import type { RequestSender } from "./keys/flag_events.ts";
import type { IngestOptions } from "./options.ts";
import { type Bytes, decompress, receiveBody } from "./http/body.ts";
import { readBatch } from "./http/read_batch.ts";
import {
  buildMalformed,
  buildRefusal,
  DEFAULT_RETRY_S,
  limitRetryAfter,
  METHOD_NOT_ALLOWED,
  type Refusal,
  REFUSAL_STATUSES,
} from "./contract/refusal.ts";
import { createBatchPlan } from "./plan.ts";
import type { ReceivedBatch, StoreResult } from "./events/received_batch.ts";
import type { StoredEvent } from "./events/stored_event.ts";
import type { SinkRefusal } from "./ports/sink.ts";

/** Answers one request; never rejects. Mounts wherever a Web-standard handler does (Fetch standard). */
export type Ingest = (request: Request) => Promise<Response>;

/** What stands around the two parts of a request: the arrival of its body, and the work on it once it is there. */
export interface Intake {
  /** Network of the sender, where it is known. */
  readonly network?: string | undefined;
  /** Address of the sender, where it is known. */
  readonly address?: string | undefined;
  /** Reads the body; refuses it, or answers for itself. Rejects where something else has read it. */
  readonly receive: (request: Request) => Promise<Bytes | Refusal | Response>;
  /** Does the work, or answers that it can't. */
  readonly run: (work: () => Promise<Response>) => Promise<Response>;
  /** Does work that holds so many bytes of a body, once there is memory for them, or answers that there won't be. */
  readonly hold: (bytes: number, work: () => Promise<Response>) => Promise<Response>;
}

/** Answers one request within its intake; never rejects. */
export type GuardedIngest = (request: Request, intake: Intake) => Promise<Response>;

/** What {@linkcode createGuardedIngest} takes: what is of the intake is not for it. */
export interface GuardedIngestOptions extends Omit<IngestOptions, "keys" | "bodyTimeoutMs" | "addressOf"> {
  /** Keys that may send. */
  readonly keyring: Keyring;
}

/** Who sends, and what stands around the request. */
interface Admitted {
  readonly key: ResolvedKey;
  readonly intake: Intake;
}

/** Who sent a body, and whether it is compressed. */
interface Sent extends Admitted {
  readonly isGzip: boolean;
  /** Absent for a backend or an application, whose agent and address aren't a visitor's. */
  readonly sender: RequestSender | undefined;
}

/** Whose events were stored, and which weren't. */
interface Acknowledged {
  readonly key: ResolvedKey;
  /** What broke the plan. */
  readonly refused: readonly StoredEvent[];
}

/** Path of the ingest endpoint (SPEC 4.1, 9). */
const DEFAULT_PATH = "/v1/events";

/** What is shown of who sends: anybody can send anything, which doesn't belong into a log. */
const ORIGIN = /^(?:null|[a-z][a-z0-9+.-]{0,30}:\/\/[a-z0-9.:[\]_-]{1,260})$/i;

const KNOWN_STATUSES: ReadonlySet<Refusal["status"]> = new Set(Object.values(REFUSAL_STATUSES));

/** JSON, whatever its parameters: none has a meaning (RFC 8259, 11), and the bytes say whether they are UTF-8. */
const JSON_TYPE = /^application\/json[\t ]*(?:;|$)/i;

const ENCODING = /^(?:identity|(?:x-)?gzip)?$/i;

/** The refusal of a key that nobody knows (SPEC 5). */
const UNKNOWN_KEY: Refusal = buildRefusal("unknown_key", "header X-API-Key must carry a known key");

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

const UNAVAILABLE: Refusal = {
  ...buildRefusal("unavailable", "the events couldn't be stored, try again later"),
  retryAfterS: DEFAULT_RETRY_S,
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
 * @throws {TypeError} When the keys are none or listed twice, a key or the path could never match a request, a limit is
 * no number, or the plan holds something else than schemas.
 */
export function createIngest(options: IngestOptions): Ingest {
  const { keys, addressOf, ...others } = options;
  if (keys.length === 0) throw new TypeError("keys must name at least one key");
  const ingest = createGuardedIngest({ ...others, keyring: createKeyring(keys, options.now) });
  const intake: Intake = {
    receive: (request) => receiveWithin(request, options.bodyTimeoutMs),
    run: (work) => work(),
    // A platform that breaks requests off, as Workers do, would never give the memory of one back.
    hold: (_, work) => work(),
  };
  const reportError = guard(options.onError);

  function findAddress(request: Request): string | undefined {
    try {
      return addressOf?.(request);
    } catch (error) {
      reportError(error);
      return undefined;
    }
  }

  return (request) => ingest(request, { ...intake, address: findAddress(request) });
}

/**
 * Creates the ingest of a server that bounds what arrives and what is at work by itself.
 *
 * @throws {TypeError} As {@linkcode createIngest} does.
 */
export function createGuardedIngest(options: GuardedIngestOptions): GuardedIngest {
  const { keyring, sink, path = DEFAULT_PATH, now = Date.now, throttle = () => 0, planMode = "count" } = options;
  if (!isPath(path)) throw new TypeError('path must be one such as "/v1/events", as a URL has it');
  const notifyEvents = guard(options.onEvents);
  const notifyOutcome = guard(options.onOutcome);
  const reportError = guard(options.onError);
  const plan = options.plan && createBatchPlan(options.plan, { mode: planMode, onError: reportError });

  /** Asks what needs nothing of the body, in the contract's order; the first fault is the answer. */
  async function checkRequest({ headers }: Request, { key, intake }: Admitted): Promise<Refusal | undefined> {
    // A request that could never be taken spends nothing of its key's.
    const fault = await checkSender(headers, key) ?? checkHeaders(headers);
    if (fault !== undefined) return fault;
    const waitMs = key.bucket?.take(intake.network) || await throttle(key.apiKey);
    return waitMs > 0 ? buildRateLimited(waitMs) : undefined;
  }

  /** Refuses who may not send with the key: a page that isn't registered for it, and a backend without its secret. */
  async function checkSender(headers: Headers, key: ResolvedKey): Promise<Refusal | undefined> {
    const origin = headers.get("Origin");
    const secret = readBearerToken(headers.get("Authorization"));
    if (secret === undefined) return checkOrigin(origin, key);
    const apiKey = await keyring.findOfSecret(secret);
    // Pages and applications may send tokens of their own, which mean nothing here: some add one to each request.
    if (origin !== null) return apiKey === undefined ? checkOrigin(origin, key) : SECRET_WITH_ORIGIN;
    return apiKey === key.apiKey || key.origins === "any" ? undefined : UNKNOWN_SECRET;
  }

  async function receive(request: Request, admitted: Admitted): Promise<Response> {
    const { key, intake } = admitted;
    const fault = await checkRequest(request, admitted);
    if (fault !== undefined) return refuse(fault, key);
    // Before the body: once a connection has gone, Deno's headers can't be read any more. The names: RFC 9110, 8.4.1.
    const isGzip = /^(?:x-)?gzip$/i.test(request.headers.get("Content-Encoding") ?? "");
    const sender = readSender(request.headers, intake);
    const sent = await intake.receive(request);
    if (sent instanceof Response) return sent;
    if ("status" in sent) return refuse(sent, key);
    // Whoever runs it may have answered already when it fails.
    return await intake.run(() => store(sent, { isGzip, sender, key, intake }).catch((error) => fail(error, key)));
  }

  async function store(sent: Bytes, { isGzip, sender, key, intake }: Sent): Promise<Response> {
    const body = isGzip ? await decompress(sent) : sent;
    if ("status" in body) return refuse(body, key);
    const waitMs = spendBytes(key, body.byteLength);
    if (waitMs > 0) return refuse(buildRateLimited(waitMs, "too many bytes with this key, try again later"), key);
    return await intake.hold(body.byteLength, () => storeBody(body, { key, sender }));
  }

  async function storeBody(body: Bytes, { key, sender }: Pick<Sent, "key" | "sender">): Promise<Response> {
    // What comes without an Origin is of a backend.
    const received = readBatch(body, { apiKey: key.apiKey, now, site: sender ? undefined : key.site });
    if ("status" in received) return refuse(received, key);
    const read = { ...received, events: key.flagEvents(received.events, sender) };
    const checked = plan?.check(read);
    const batch = checked?.batch ?? read;
    const result = await sink.store(batch);
    if ("status" in result) {
      if (result.cause !== undefined) reportError(result.cause);
      return passRefusalOn(checkSinkRefusal(result), key);
    }
    return acknowledge(batch, result, { key, refused: checked?.refused ?? [] });
  }

  function acknowledge(batch: ReceivedBatch, result: StoreResult, { key, refused }: Acknowledged): Response {
    const { accepted, duplicates, erased, events = [] } = result;
    if (events.length > 0) notifyEvents(events, key.name);
    const use = key.allowance.use(batch, result);
    const ofPlan = plan?.count([...(result.events ?? batch.events), ...refused]);
    const counts = { accepted, duplicates, ...(planMode === "refuse" && plan && { refused: refused.length }) };
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

  function fail(error: unknown, key?: ResolvedKey): Response {
    // Whatever failed, the sender is to keep its events and come back: never a 500.
    reportError(error);
    return refuse(UNAVAILABLE, key);
  }

  async function answer(request: Request, intake: Intake): Promise<Response> {
    let key: ResolvedKey | undefined;
    try {
      const misrouted = checkRoute(request, path);
      if (misrouted !== undefined) return refuse(misrouted);
      if (request.method === "OPTIONS") return answerPreflight(request.headers);
      key = await keyring.find(request.headers.get("X-API-Key"));
      return key === undefined ? refuse(UNKNOWN_KEY) : await receive(request, { key, intake });
    } catch (error) {
      return fail(error, key);
    }
  }

  return async (request, intake) => {
    // Before the body: once a connection has gone, Deno's headers can't be read any more.
    const origin = request.headers.get("Origin");
    return nameOrigin(await answer(request, intake), origin);
  };
}

/** Refuses another path or method. */
function checkRoute(request: Request, path: string): Refusal | undefined {
  // A server puts the address together of what was sent; a Host that is none makes it none.
  if (!URL.canParse(request.url)) return buildMalformed("header Host must be a host");
  if (new URL(request.url).pathname !== path) return buildRefusal("not_found", "there is nothing at this path");
  if (request.method !== "POST" && request.method !== "OPTIONS") return METHOD_NOT_ALLOWED;
}

/** Refuses a site that isn't registered for the key. */
function checkOrigin(origin: string | null, key: ResolvedKey): Refusal | undefined {
  if (isRegistered(key, origin)) return undefined;
  if (origin === null) {
    return buildRefusal("origin_not_registered", "header Origin is missing; a backend needs a sending secret");
  }
  if (!ORIGIN.test(origin)) return buildRefusal("origin_not_registered", "header Origin must be an origin");
  return buildRefusal("origin_not_registered", `the origin ${origin} isn't registered for this key`);
}

/** Reads who sent a request of a page: pages name their origin. */
function readSender(headers: Headers, { address }: Intake): RequestSender | undefined {
  const origin = headers.get("Origin");
  return origin === null ? undefined : { origin, agent: headers.get("User-Agent"), address };
}

/** Reads the token of a header `Authorization` (RFC 6750, 2.1). */
function readBearerToken(authorization: string | null): string | undefined {
  return /^Bearer +([^ ]+) *$/i.exec(authorization ?? "")?.[1];
}

/** Refuses a body that isn't announced as JSON, plain or gzipped, and a request without SDK version (SPEC 4.1, 9). */
function checkHeaders(headers: Headers): Refusal | undefined {
  if (!JSON_TYPE.test(headers.get("Content-Type") ?? "")) {
    return buildRefusal("unsupported_media_type", "header Content-Type must be application/json");
  }
  if (!ENCODING.test(headers.get("Content-Encoding") ?? "")) {
    return buildRefusal("unsupported_media_type", "header Content-Encoding must be gzip, or missing");
  }
  if (!headers.get("X-Vendor-SDK-Version")) return buildMalformed("header X-Vendor-SDK-Version is required");
}

async function receiveWithin(request: Request, timeMs: number | undefined): Promise<Bytes | Refusal> {
  if (timeMs === undefined) return await receiveBody(request);
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), timeMs);
  try {
    return await receiveBody(request, { signal: controller.signal });
  } finally {
    clearTimeout(timer);
  }
}

/** Takes the bytes of a body of those that may be sent with a key; returns how many milliseconds to wait instead. */
function spendBytes({ bytes }: ResolvedKey, count: number): number {
  const waitMs = bytes?.take() ?? 0;
  // A body may be more than there is: the next one waits for it.
  if (waitMs === 0) bytes?.spend(count - 1);
  return waitMs;
}

function buildRateLimited(waitMs: number, message = "too many requests with this key, try again later"): Refusal {
  const refusal = buildRefusal("rate_limited", message);
  return { ...refusal, retryAfterS: limitRetryAfter(waitMs / 1000) };
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
