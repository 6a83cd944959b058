import { isObject } from "../../contract/is_object.ts";
import type { ReceivedBatch, SinkRefusal, StoreResult } from "../sink.ts";

/** What an answer is seen with. */
export interface AnswerContext {
  /** Body of the answer. */
  readonly text: string;
  /** What was sent. */
  readonly batch: ReceivedBatch;
  /** Whether it was sent with a key other than the sender's. */
  readonly isKeyReplaced: boolean;
  /** Whether it was sent with an origin other than the sender's. */
  readonly isOriginReplaced: boolean;
}

/** What a sender is told to wait where the endpoint doesn't say, in seconds. */
const DEFAULT_RETRY_S = 5;

/** As long as the SDK waits at most. */
const MAX_RETRY_S = 300;

const MAX_MESSAGE_CHARACTERS = 200;

/**
 * Says what an endpoint's answer means for the sender. A success is one, and so is a refusal that is about the batch
 * or about a key or an origin that the sender chose. Whatever else it is, the proxy or the endpoint is at fault or on its
 * way back, and the sender is to keep its events.
 */
export function mapAnswer(answer: Response, context: AnswerContext): StoreResult | SinkRefusal {
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
      if (isKeyReplaced) return unavailable("the endpoint refuses the proxy's key", headers);
      if (isOriginReplaced && status === 403) return unavailable("the endpoint refuses the proxy's origin", headers);
      return { status, ...readError(text) };
    case 429:
      return { status, ...readError(text), retryAfterS: readRetryAfter(headers) };
    default:
      return unavailable("the endpoint can't take the events, try again later", headers);
  }
}

function unavailable(message: string, headers: Headers): SinkRefusal {
  return { status: 503, code: "upstream_unavailable", message, retryAfterS: readRetryAfter(headers) };
}

/** Takes the counts of an ingest like ours; another one says nothing of duplicates. */
function readCounts(text: string, { events }: ReceivedBatch): StoreResult {
  const body = parseObject(text);
  const [accepted, duplicates] = [Number(body.accepted), Number(body.duplicates)];
  const isOurs = Number.isInteger(accepted) && Number.isInteger(duplicates) && accepted >= 0 && duplicates >= 0;
  if (!isOurs || accepted + duplicates !== events.length) return { accepted: events.length, duplicates: 0, events };
  if (duplicates === 0) return { accepted, duplicates, events };
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
