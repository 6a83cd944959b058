import { readAtMost } from "../../request/body.ts";
import { DEFAULT_RETRY_S } from "../../request/refusal.ts";
import { isHeaderValue } from "../../request/syntax.ts";
import type { EventSink, ReceivedBatch, SinkRefusal, StoreResult } from "../sink.ts";
import { isObject } from "../../contract/values.ts";

/** What {@linkcode createForwardSink} takes. */
export interface ForwardSinkOptions {
  /** The endpoint that gets the events: `https://ingest.vendor.example/v1/events`. Redirects aren't followed. */
  readonly url: string;
  /**
   * Publishable key to send with.
   *
   * @default {the sender's own}
   */
  readonly apiKey?: string;
  /**
   * Value of the header `Origin`, for an endpoint that checks it.
   *
   * @default {the sender's own, if any}
   */
  readonly origin?: string;
  /**
   * How long the endpoint may take to answer, in milliseconds.
   *
   * @default {10000}
   */
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 10_000;

/** As much of an answer as is read: two counts, or a sentence. */
const MAX_ANSWER_BYTES = 16_384;

/** As long as the SDK waits at most. */
const MAX_RETRY_S = 300;

const MAX_MESSAGE_CHARACTERS = 200;

/** What a sender hears of an endpoint that is down, or at fault. */
const DOWN = "the endpoint can't take the events, try again later";

/** What an answer is seen with. */
interface AnswerContext {
  /** Body of the answer. */
  readonly text: string;
  /** What was sent. */
  readonly batch: ReceivedBatch;
  /** Whether it was sent with a key other than the sender's. */
  readonly isKeyReplaced: boolean;
  /** Whether it was sent with an origin other than the sender's. */
  readonly isOriginReplaced: boolean;
}

/**
 * Creates a sink that passes batches on to another ingest endpoint, as a first-party proxy does. A full body leaves
 * byte for byte as it came, but decompressed; an aggregate body is written anew from what was checked of it, so that
 * nothing personal leaves by it in a field that nobody looked at. The endpoint's answer becomes the
 * sender's: what it refuses is refused, what it asks to wait for waits, and everything else that isn't a success is
 * told as 503, so that the sender keeps its events.
 *
 * @example
 * ```ts
 * import { createForwardSink, createIngest } from "@vendor/sdk/ingest";
 *
 * const ingest = createIngest({
 *   keys: [{ apiKey: "pk_live_1", origins: ["https://shop.example"] }],
 *   sink: createForwardSink({ url: "https://ingest.vendor.example/v1/events" }),
 * });
 * const answer = await ingest(new Request("https://shop.example/v1/events"));
 * console.log(answer.status); // 405
 * ```
 *
 * @throws {TypeError} When `url` is no http or https URL, or no header can hold `apiKey` or `origin`.
 */
export function createForwardSink(options: ForwardSinkOptions): EventSink {
  const { apiKey, origin, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const url = parseUrl(options.url);
  // Every batch would be turned down with 503, for ever. The message holds no key.
  for (const [name, value = ""] of Object.entries({ apiKey, origin })) {
    if (!isHeaderValue(value)) throw new TypeError(`${name} must hold only characters that a header can`);
  }
  const closing = new AbortController();
  const underWay = new Set<Promise<unknown>>();

  async function ask(init: RequestInit): Promise<{ readonly answer: Response; readonly text: string }> {
    if (closing.signal.aborted) throw new Error("the forward sink is closed");
    const answer = await fetch(url, { ...init, redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
    // Read to its end, so that the connection can be used again.
    const bytes = await readAtMost(answer.body, { bytes: MAX_ANSWER_BYTES });
    return { answer, text: bytes === undefined ? "" : new TextDecoder().decode(bytes) };
  }

  async function send(batch: ReceivedBatch): ReturnType<EventSink["store"]> {
    const sentOrigin = origin ?? batch.origin;
    const asked = await ask({
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "X-API-Key": apiKey ?? batch.apiKey,
        "X-Vendor-SDK-Version": batch.sdkVersion,
        ...(sentOrigin !== undefined && { Origin: sentOrigin }),
      },
      // A cast, since the type leaves open whether the memory is shared, and fetch takes none that is.
      body: batch.body as Uint8Array<ArrayBuffer>,
    }).catch(explain);
    if (asked instanceof Error) return { ...unavailable(DOWN), cause: asked };
    const { answer, text } = asked;
    const replaced = { isKeyReplaced: apiKey !== undefined, isOriginReplaced: origin !== undefined };
    return mapAnswer(answer, { text, batch, ...replaced });
  }

  function explain(cause: unknown): Error {
    // What failed may name the whole URL, and its query may hold a secret.
    const reason = describeFailure(cause).replaceAll(/[?#][^\s)]*/g, "");
    return new Error(`the endpoint of the forward sink didn't answer: ${reason}`, { cause });
  }

  return {
    async store(batch) {
      const sending = send(batch);
      underWay.add(sending);
      try {
        return await sending;
      } finally {
        underWay.delete(sending);
      }
    },
    async check() {
      const asked = await ask({ method: "OPTIONS" }).catch(explain);
      if (asked instanceof Error) throw asked;
      if (asked.answer.status >= 500) throw buildFault(asked.answer);
    },
    async close() {
      closing.abort();
      await Promise.allSettled(underWay);
    },
  };
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    throw new TypeError("url must be an http or https URL without credentials");
  }
  return url;
}

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  if (error.name === "TimeoutError") return "no answer in time";
  // Node says only "fetch failed", and why in the cause.
  const cause = error.cause instanceof Error ? error.cause : error;
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.message;
}

/**
 * Says what an endpoint's answer means for the sender. A success is one, and so is a refusal that is about the batch
 * or about a key or an origin that the sender chose. Whatever else it is, the proxy or the endpoint is at fault or on its
 * way back, and the sender is to keep its events.
 */
function mapAnswer(answer: Response, context: AnswerContext): StoreResult | SinkRefusal {
  const { text, batch, isKeyReplaced, isOriginReplaced } = context;
  if (answer.ok) return readCounts(text, batch);
  const { status, headers } = answer;
  switch (status) {
    case 400:
    case 413:
    case 415:
      return { status, ...readError(text) };
    case 422:
      return { status: 400, ...readError(text) };
    case 401:
    case 403:
      if (isKeyReplaced) return blame(answer, "the endpoint refuses the proxy's key");
      if (isOriginReplaced && status === 403) return blame(answer, "the endpoint refuses the proxy's origin");
      return { status, ...readError(text) };
    case 429:
      return { status, ...readError(text), retryAfterS: readRetryAfter(headers) };
    default:
      return blame(answer, DOWN);
  }
}

function blame(answer: Response, message: string): SinkRefusal {
  return { ...unavailable(message, readRetryAfter(answer.headers)), cause: buildFault(answer) };
}

function unavailable(message: string, retryAfterS: number = DEFAULT_RETRY_S): SinkRefusal {
  return { status: 503, code: "upstream_unavailable", message, retryAfterS };
}

function buildFault({ status }: Response): Error {
  return new Error(`the endpoint of the forward sink answers ${status}`);
}

/** Takes the counts of an ingest like ours, whose plan may refuse events; another one says nothing of duplicates. */
function readCounts(text: string, { events }: ReceivedBatch): StoreResult {
  const body = parseObject(text);
  const counts = [body.accepted, body.duplicates, body.refused ?? 0].map(Number);
  const [accepted = 0, duplicates = 0] = counts;
  const isOurs = counts.every((count) => Number.isInteger(count) && count >= 0);
  const sum = counts.reduce((total, count) => total + count, 0);
  if (!isOurs || sum !== events.length) return { accepted: events.length, duplicates: 0, events };
  if (accepted === events.length) return { accepted, duplicates, events };
  return { accepted, duplicates, ...(accepted === 0 && { events: [] }) };
}

function readError(text: string): Pick<SinkRefusal, "code" | "message"> {
  const { error } = parseObject(text);
  const { code, message } = isObject(error) ? error : {};
  return {
    code: typeof code === "string" && /^[a-z0-9_]{1,64}$/.test(code) ? code : "refused_upstream",
    message: typeof message === "string" ? message.slice(0, MAX_MESSAGE_CHARACTERS) : "the endpoint refused the events",
  };
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    // An endpoint may answer anything.
    return {};
  }
}

/** Reads Retry-After in seconds or as a date (RFC 9110, 10.2.3). */
function readRetryAfter(headers: Headers): number {
  const text = headers.get("Retry-After")?.trim() ?? "";
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? DEFAULT_RETRY_S : Math.min(Math.max(seconds, 1), MAX_RETRY_S);
}
