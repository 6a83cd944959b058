import { answerRefusal } from "../request/answers.ts";
import { createIngest } from "../handler.ts";
import type { IngestKey, IngestOptions, IngestOutcome } from "../options.ts";
import type { EventSink, StoredEvent } from "../sinks/sink.ts";
import { describeError } from "./describe_error.ts";
import { createGate } from "./gate.ts";
import type { Log } from "./log.ts";
import { createIngestMetrics } from "./metrics.ts";
import { createStatusRoute, type Route } from "./routes.ts";
import { type Sender, UNKNOWN_SENDER } from "./sender.ts";

/** What {@linkcode createApp} takes. */
export interface AppOptions {
  /** Keys that may send. */
  readonly keys: readonly IngestKey[];
  /** Where events go. */
  readonly sink: EventSink;
  /** Path that takes events. */
  readonly path: string;
  /** Most requests at work at a time. */
  readonly maxPending: number;
  /** How long a request may take, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** Takes what happens. */
  readonly log: Log;
  /** Asked before the ingest: the reports, for instance. */
  readonly routes?: readonly Route[];
  /** Hears of events stored for the first time, in full. */
  readonly onEvents?: (events: readonly StoredEvent[]) => void;
  /** Hears what became of each request. */
  readonly onOutcome?: (outcome: IngestOutcome) => void;
}

/** How much of a request's time its body may take. */
const BODY_SHARE = 0.8;

/** The ingest with everything that a server needs around it. */
export interface App {
  /** Answers a request; never rejects. */
  readonly handle: (request: Request, sender?: Sender) => Promise<Response>;
  /** Returns how many requests were answered. */
  total(): number;
  /** Takes nothing more, tells load balancers so, and resolves when the requests under way are answered. */
  stop(): Promise<void>;
}

/**
 * Creates the ingest of a server: bounded in its requests, counted, logged, and with the operator's endpoints.
 *
 * @throws {TypeError} When the keys are none, listed twice or could never match a request.
 */
export function createApp(options: AppOptions): App {
  const { sink, log, routes = [] } = options;
  const metrics = createIngestMetrics({ pending: () => gate.pending() });
  let isStopping = false;

  const ingest = createIngest({
    ...pickIngest(options),
    // A little earlier than the gate: an answer of the ingest's own is worth more, and leaves nothing behind.
    bodyTimeoutMs: options.requestTimeoutMs * BODY_SHARE,
    // What the listeners return is handed on: the ingest looks after promises that reject.
    onEvents: (events) => {
      metrics.events(events);
      return options.onEvents?.(events);
    },
    onOutcome: (outcome) => {
      metrics.outcome(outcome);
      return options.onOutcome?.(outcome);
    },
    onError: (error) => log("error", "events couldn't be stored", { reason: describeError(error) }),
  });
  const gate = createGate({
    handle: ingest,
    maxPending: options.maxPending,
    deadlineMs: options.requestTimeoutMs,
    onBusy: metrics.turnedAway,
  });
  const status = createStatusRoute({
    sink,
    isStopping: () => isStopping,
    renderMetrics: metrics.render,
    onUnready: (error) => log("warn", "not ready", { reason: describeError(error) }),
  });

  async function route(request: Request, sender: Sender): Promise<Response> {
    // A Host that is none makes the address none: the ingest says so, and routes couldn't look at it.
    if (!URL.canParse(request.url)) return await receive(request);
    for (const answer of [status, ...routes]) {
      const response = await answer(request, sender);
      if (response !== undefined) return response;
    }
    return await receive(request);
  }

  async function receive(request: Request): Promise<Response> {
    const startMs = performance.now();
    // A browser takes a refused preflight for one of the page, and its script never sees the 503 to wait for.
    const response = await (request.method === "OPTIONS" ? ingest(request) : gate.handle(request));
    const durationMs = performance.now() - startMs;
    metrics.answered(response.status, durationMs);
    log("debug", "request", { method: request.method, status: response.status, durationMs: Math.round(durationMs) });
    return response;
  }

  return {
    handle: (request, sender = UNKNOWN_SENDER) =>
      route(request, sender).catch((error) => {
        log("error", "a request failed", { reason: describeError(error) });
        return answerRefusal({ status: 503, code: "unavailable", message: "try again later", retryAfterS: 5 });
      }),
    total: metrics.total,
    stop(): Promise<void> {
      isStopping = true;
      return gate.close();
    },
  };
}

function pickIngest({ keys, sink, path }: AppOptions): Pick<IngestOptions, "keys" | "sink" | "path"> {
  return { keys, sink, path };
}
