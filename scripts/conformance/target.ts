/**
 * The ingest under test, spoken to over HTTP alone.
 *
 * @module
 */
import { type Answer, toAnswer } from "./answer.ts";

/** Where the ingest is, and who may send. */
export interface TargetOptions {
  /** URL that takes events. */
  readonly url: string;
  /** Publishable key. */
  readonly key: string;
  /** Origin that is registered for the key; none for a key that any origin may use. */
  readonly origin?: string;
}

/** Difference of a request from that of the SDK. */
export interface RequestOptions {
  /** Method. */
  readonly method?: string;
  /** Address. */
  readonly url?: string;
  /** Headers to set; null takes one away. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Text, bytes or a stream as they are, anything else as JSON. */
  readonly body?: unknown;
}

/** The ingest under test. */
export interface Target extends TargetOptions {
  /** Sends a request and reads the answer. Waits as long as it is told where there is a rate limit. */
  send(options?: RequestOptions): Promise<Answer>;
  /** Sends a body as the SDK does. */
  post(body: unknown, headers?: RequestOptions["headers"]): Promise<Answer>;
  /** Makes an id that no run has used. */
  newId(): string;
}

const MAX_WAITS = 20;

const MAX_WAIT_S = 10;

/** Creates the target. */
export function createTarget(options: TargetOptions): Target {
  const { key, origin } = options;

  async function send(request: RequestOptions = {}): Promise<Answer> {
    const { method = "POST", url = options.url } = request;
    for (let waits = 0;; waits += 1) {
      const headers = toHeaders(request.headers);
      const response = await fetch(url, {
        method,
        headers,
        ...(request.body !== undefined && { body: toBody(request.body) }),
        redirect: "manual",
      });
      const answer = await toAnswer(response, headers.get("Origin"));
      if (answer.status !== 429 || waits === MAX_WAITS) return answer;
      const waitS = Math.min(MAX_WAIT_S, Number(answer.headers.get("Retry-After")) || 1);
      await new Promise((resolve) => setTimeout(resolve, waitS * 1000));
    }
  }

  function toHeaders(changes: RequestOptions["headers"] = {}): Headers {
    const headers = new Headers({
      "Content-Type": "application/json",
      "X-API-Key": key,
      "X-Vendor-SDK-Version": "0.1.0",
      ...(origin !== undefined && { "Origin": origin }),
    });
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) headers.delete(name);
      else headers.set(name, value);
    }
    return headers;
  }

  return {
    ...options,
    send,
    post: (body, headers) => send({ body, ...(headers && { headers }) }),
    newId: () => crypto.randomUUID(),
  };
}

function toBody(body: unknown): BodyInit {
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array || body instanceof ReadableStream) return body as BodyInit;
  return JSON.stringify(body);
}
