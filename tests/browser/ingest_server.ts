import { createIngest, createMemorySink, type RefusedOutcome, type StoredEvent } from "../../src/ingest/mod.ts";
import type { AggregatePageviewPayload, EventRequestPayload } from "../../src/client/base/types.ts";
import { type HttpRequest, startHttpServer } from "./http_server.ts";
import { createWatch } from "./wait_until.ts";

/** Key that the ingest knows. */
export const KEY = "pk_browser_test";

/** Second key that the ingest knows. */
export const OTHER_KEY = "pk_browser_test_2";

/** Third key that the ingest knows: the one of the guides. */
const GUIDE_KEY = "pk_live_123";

/** A POST as it came in. */
export interface ReceivedRequest extends HttpRequest {
  /** Body parsed. */
  readonly body: EventRequestPayload | AggregatePageviewPayload;
  /** When it came, in milliseconds of a clock that only runs forward. */
  readonly timeMs: number;
}

/** Answers a request in the ingest's place, or breaks the connection; undefined leaves it to the ingest. */
export type Responder = (request: ReceivedRequest) => Response | "reset" | Promise<Response> | undefined;

/** The ingest on an origin of its own, and what it saw. */
export interface IngestServer {
  /** The `endpoint` option. */
  readonly endpoint: string;
  /** POSTs in the order in which they came. */
  readonly requests: readonly ReceivedRequest[];
  /** Headers of the preflights. */
  readonly preflights: readonly Readonly<Record<string, string>>[];
  /** Events stored, once each, in order. */
  readonly stored: readonly StoredEvent[];
  /** What the ingest refused. */
  readonly refused: readonly RefusedOutcome[];
  /** Takes requests that came to another address. */
  readonly handle: (request: Request) => Promise<Response>;
  /** Puts a responder before the ingest; none takes it away. */
  respondWith(responder?: Responder): void;
  /** Keeps the answers of preflights back until the returned function is called. */
  holdPreflights(): () => void;
  /** A responder's answer that never comes. */
  hang(): Promise<Response>;
  /** Waits until so many events are stored, and returns all. */
  untilStored(count: number): Promise<readonly StoredEvent[]>;
  /** Waits until so many POSTs came, and returns all. */
  untilRequested(count: number): Promise<readonly ReceivedRequest[]>;
  /** Waits until so many preflights came. */
  untilPreflighted(count: number): Promise<void>;
  /** Waits until a request was broken off by its sender. */
  untilAborted(request: ReceivedRequest | undefined): Promise<void>;
  /** Ends it. */
  close(): Promise<void>;
}

/** A CORS answer of a status, as the SDK can read it. */
export function buildAnswer(status: number, headers: Readonly<Record<string, string>> = {}): Response {
  const cors = { "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "Retry-After" };
  return new Response("{}", { status, headers: { ...cors, ...headers } });
}

/** Starts an ingest that takes events from these origins. */
export async function startIngest(origins: readonly string[]): Promise<IngestServer> {
  const requests: ReceivedRequest[] = [];
  const preflights: Readonly<Record<string, string>>[] = [];
  const stored: StoredEvent[] = [];
  const refused: RefusedOutcome[] = [];
  const watch = createWatch();
  const closing = Promise.withResolvers<Response>();
  const sink = createMemorySink();
  const ingest = createIngest({
    keys: [KEY, OTHER_KEY, GUIDE_KEY].map((apiKey) => ({ apiKey, origins })),
    sink,
    onEvents: (events) => stored.push(...events),
    onOutcome(outcome) {
      if (outcome.kind === "refused") refused.push(outcome);
      watch.notify();
    },
  });
  let respond: Responder | undefined;
  let preflightsHeld: Promise<void> | undefined;

  async function receive(request: HttpRequest): Promise<Response | "reset"> {
    const { method, target, headers, text } = request;
    const forward = (): Promise<Response> =>
      ingest(
        new Request(new URL(target, "http://ingest"), { method, headers, ...(method === "POST" && { body: text }) }),
      );
    if (method === "OPTIONS") {
      preflights.push(headers);
      watch.notify();
      await preflightsHeld;
    }
    if (method !== "POST") return await forward();
    const received: ReceivedRequest = { ...request, body: JSON.parse(text), timeMs: performance.now() };
    requests.push(received);
    watch.notify();
    return await (respond?.(received) ?? forward());
  }

  const server = await startHttpServer({ answer: receive, onAbort: watch.notify });
  const describe = (): string =>
    `stored ${JSON.stringify(stored.map(({ name }) => name))}; received ${
      JSON.stringify(requests.map(({ text }) => text.slice(0, 2000)))
    }; refused ${JSON.stringify(refused)}`;
  return {
    endpoint: `http://127.0.0.1:${server.port}/v1/events`,
    requests,
    preflights,
    stored,
    refused,
    async handle(request) {
      const { pathname, search } = new URL(request.url);
      const headers = Object.fromEntries(request.headers); // read later they throw
      const { method } = request;
      const text = await request.text();
      const answer = await receive({ method, target: pathname + search, headers, text, isAborted: () => false });
      return answer === "reset" ? Response.error() : answer;
    },
    respondWith(responder) {
      respond = responder;
    },
    holdPreflights() {
      const { promise, resolve } = Promise.withResolvers<void>();
      preflightsHeld = promise;
      return resolve;
    },
    hang: () => closing.promise.then((answer) => answer.clone()),
    async untilStored(count) {
      await watch.until(() => stored.length >= count, () => `no ${count} events: ${describe()}`);
      return stored;
    },
    async untilRequested(count) {
      await watch.until(() => requests.length >= count, () => `no ${count} requests: ${describe()}`);
      return requests;
    },
    untilPreflighted: (count) => watch.until(() => preflights.length >= count, () => `no preflights: ${describe()}`),
    untilAborted: (request) => watch.until(() => !!request?.isAborted(), () => `not aborted: ${describe()}`),
    async close() {
      closing.resolve(buildAnswer(503));
      await server.close();
      await sink.close();
    },
  };
}
