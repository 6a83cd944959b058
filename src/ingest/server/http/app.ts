import { Registry } from "prom-client";
import { type Answer, answerRefusal, nameOrigin } from "../../http/answers.ts";
import type { ReadBody } from "../../http/body.ts";
import { PlanFault } from "../../plan.ts";
import type { Plan } from "@vendor/sdk/contract";
import { createGuardedIngest, type ServerStages } from "../../handler.ts";
import type { Arrival } from "../../stages.ts";
import { createPause } from "../../platform/pieces.ts";
import { toNetwork } from "../../contract/syntax.ts";
import { createKeyring } from "../../keys/keyring.ts";
import type { IngestKey } from "../../keys/ingest_key.ts";
import type { IngestOutcome } from "../../options.ts";
import type { StoredEvent } from "../../events/stored_event.ts";
import type { EventSink } from "../../ports/sink.ts";
import { BODY_BOUNDS, BODY_LIMITS, createBodyReceiver } from "./body_receiver.ts";
import { answerBusy, BUSY_CODES, type BusyCode } from "./answer_busy.ts";
import { createConcurrencyLimit } from "./concurrency_limit.ts";
import { createInFlightCounter } from "./in_flight_counter.ts";
import { describeError } from "../../platform/describe_error.ts";
import type { Log } from "../ops/log.ts";
import type { Refused } from "../ops/refusal_log.ts";
import { createIngestMetrics } from "../ops/metrics.ts";
import { checkSink } from "../ops/sink_watch.ts";
import { createMemorySemaphore, type MemoryLimits } from "./memory_semaphore.ts";
import { createOperatorHandler, createStatusRoute } from "../ops/status_route.ts";
import { createAddressFinder, createCountryFinder, type Sender, UNKNOWN } from "./sender.ts";
import type { ServerRequest } from "./server_request.ts";

/** Who asks a {@linkcode Route}. */
export interface Asker extends Sender {
  /** Reads the body of the request, which doesn't hold it. */
  readonly readBody?: ReadBody;
}

/** Answers a request, or leaves it to another one. */
export type Route = (request: Request, asker: Asker) => Promise<Response | undefined>;

/** Options of {@linkcode createApp}. */
export interface AppOptions {
  /** Keys that may send. */
  readonly keys: readonly IngestKey[];
  /** Where events go. */
  readonly sink: EventSink;
  /** Path that takes events. */
  readonly path: string;
  /**
   * Plan of the steps.
   *
   * @default {no plan}
   */
  readonly plan?: Plan;
  /**
   * Fate of events that break the plan.
   *
   * @default {"count"}
   */
  readonly planMode?: "count" | "refuse";
  /** Most requests at work at a time. */
  readonly maxPending: number;
  /** Most milliseconds that a request may take from its headers to its answer. */
  readonly requestTimeoutMs: number;
  /**
   * Proxies whose `X-Forwarded-For` or `Forwarded` says who sends, as addresses or networks.
   *
   * @default {none}
   */
  readonly trustedProxies?: readonly string[];
  /**
   * Header in which these proxies name the sender's country.
   *
   * @default {none}
   */
  readonly countryHeader?: string;
  /** Takes what happens. */
  readonly log: Log;
  /**
   * Holds the metrics that are shown.
   *
   * @default {one of its own}
   */
  readonly registry?: Registry;
  /** Returns how many bytes the write-ahead log of the tail has; absent where the sink has none. */
  readonly logBytes?: () => number;
  /** Asked for what isn't at the path of the ingest: the reports, for instance. */
  readonly routes?: readonly Route[];
  /** Hears of events stored for the first time, in full. */
  readonly onEvents?: (events: readonly StoredEvent[]) => void;
  /** Hears what became of each request. */
  readonly onOutcome?: (outcome: IngestOutcome) => void;
  /** Hears of requests that were refused or turned away, and of events that the plan refused. */
  readonly onRefused?: (refused: Refused) => void;
  /**
   * Whether the metrics are shown by {@linkcode App.operate} alone.
   *
   * @default {false}
   */
  readonly isMetricsApart?: boolean;
}

/**
 * Limits of bodies that are parsed and not yet stored. Each byte may take 20 of memory. A quarter of the time is some
 * 20,000 events a second, which is more than the people behind one address make.
 */
const MEMORY_LIMITS: MemoryLimits = { bytes: 8 * 1024 * 1024, share: 0.25, burstMs: 25, waiting: 64 };

/** Milliseconds that `/readyz` waits for the sink: load balancers give up after a few seconds. */
const READY_LIMIT_MS = 2_000;

/** Share of a request's time that its body may take. */
const BODY_SHARE = 0.8;

/** The ingest with everything that a server needs around it. */
export interface App {
  /** Answers a request of the peer; never rejects. */
  readonly handle: (request: ServerRequest, peer?: Sender) => Promise<Answer | Response>;
  /** Answers the operator, at a port of its own: health, readiness and metrics. Never rejects. */
  readonly operate: (request: ServerRequest) => Promise<Response>;
  /**
   * Puts other keys in their place, with pauses; requests under way go on.
   *
   * @throws {TypeError} As {@linkcode createApp} does; the keys stay as they were.
   */
  replaceKeys(keys: readonly IngestKey[]): Promise<void>;
  /** Returns how many requests were answered. */
  total(): number;
  /** Takes nothing more, tells load balancers so, and resolves when the requests under way are answered. */
  stop(): Promise<void>;
}

/**
 * Creates the ingest of a server: bounded in its requests, counted, logged, and with the operator's endpoints.
 *
 * @throws {TypeError} For a key that is listed twice or could never match a request.
 * @throws {ServerFault} When a trusted proxy is no address.
 */
export function createApp(options: AppOptions): App {
  const { sink, path, plan, planMode = "count", log, requestTimeoutMs } = options;
  const { registry = new Registry(), routes = [] } = options;
  const findAddress = createAddressFinder(options.trustedProxies ?? [], (hop) => {
    log("warn", "a proxy forwards something that is no address: such senders are unknown", { hop });
  });
  const findCountry = createCountryFinder(options.trustedProxies ?? [], options.countryHeader);
  const underWay = createInFlightCounter();
  let isStopping = false;

  const metrics = createIngestMetrics(registry, {
    busyCodes: BUSY_CODES,
    bounds: BODY_BOUNDS,
    pending: () => limit.pending(),
    bodies: () => receiver.bodies(),
    bodyBytes: () => receiver.bytes(),
    ...(options.logBytes && { logBytes: options.logBytes }),
  });
  const receiver = createBodyReceiver({
    // A little less than the request may take: an answer of the ingest's own is worth more.
    limits: { ...BODY_LIMITS, timeMs: requestTimeoutMs * BODY_SHARE },
    turnAway,
    onBound: metrics.bodyRefused,
  });
  const memory = createMemorySemaphore(MEMORY_LIMITS);
  const limit = createConcurrencyLimit({ maxPending: options.maxPending, turnAway });
  const keyring = createKeyring(options.keys);
  const ingest = createGuardedIngest({
    keyring,
    stages: createStages(),
    sink,
    path,
    ...(plan && { plan, planMode }),
    // What the listeners return is handed on: the ingest looks after promises that reject.
    onEvents: (events, keyName) => {
      metrics.events(events, keyName);
      return options.onEvents?.(events);
    },
    onOutcome: (outcome) => {
      metrics.outcome(outcome);
      if (outcome.kind === "refused") options.onRefused?.({ ...outcome, reason: outcome.message });
      else if (outcome.refused) options.onRefused?.({ code: "refused_by_plan", ...outcome, count: outcome.refused });
      return options.onOutcome?.(outcome);
    },
    onError: (error) => {
      const message = error instanceof PlanFault ? "the plan couldn't check an event" : "events couldn't be stored";
      log("error", message, { reason: describeError(error) });
    },
  });
  const status = createStatusRoute({ isReady, registry: options.isMetricsApart ? undefined : registry });
  const operate = createOperatorHandler({ isReady, registry });
  metrics.expect({ keyNames: keyring.names(), stepNames: Object.keys(plan ?? {}) });

  async function isReady(): Promise<boolean> {
    if (isStopping) return false;
    try {
      await checkSink(sink, READY_LIMIT_MS);
      return true;
    } catch (error) {
      log("warn", "not ready", { reason: describeError(error) });
      return false;
    }
  }

  function turnAway(code: BusyCode): Answer {
    metrics.turnedAway(code);
    // The log says that the server stops.
    if (code !== "stopping") options.onRefused?.({ code });
    return answerBusy(code);
  }

  function createStages(): ServerStages {
    return {
      receive: receiver.receive,
      limit: { around: ({ arrival: { startMs } }, next) => limit.run(next, startMs + requestTimeoutMs) },
      memory: {
        around: ({ body: { byteLength: bytes }, arrival: { network } }, next) =>
          memory.take({ bytes, network }, { run: next, turnAway: () => turnAway("too_many_bodies") }),
      },
    };
  }

  async function handle(request: ServerRequest, peer: Sender): Promise<Answer | Response> {
    const address = findAddress(peer.address, request.headers);
    // A Host that is none makes the address none: the ingest says so, and routes couldn't look at it.
    if (request.path !== path && request.path !== undefined) {
      const response = await route(request, address);
      if (response !== undefined) return response;
    }
    const startMs = performance.now();
    const country = findCountry(peer.address, request.headers);
    const answer = await receive(request, { address, country, network: address && toNetwork(address), startMs });
    const durationMs = performance.now() - startMs;
    metrics.answered(answer.status, durationMs);
    log("debug", "request", { method: request.method, status: answer.status, durationMs: Math.round(durationMs) });
    return answer;
  }

  async function route(request: ServerRequest, address: string | undefined): Promise<Response | undefined> {
    const whole = request.toRequest();
    for (const answer of [status, ...routes]) {
      const response = await answer(whole, { address, readBody: request.read });
      if (response !== undefined) return response;
    }
  }

  async function receive(request: ServerRequest, arrival: Arrival): Promise<Answer> {
    // A browser takes a refused preflight for one of the page, and its script never sees the 503 to wait for.
    if (isStopping && request.method !== "OPTIONS") {
      return nameOrigin(turnAway("stopping"), request.headers.get("Origin"));
    }
    underWay.begin();
    try {
      return await ingest(request, arrival);
    } finally {
      underWay.end();
    }
  }

  return {
    handle: (request, peer = UNKNOWN) =>
      handle(request, peer).catch((error) => {
        log("error", "a request failed", { reason: describeError(error) });
        const answer = answerRefusal({ status: 503, code: "unavailable", message: "try again later", retryAfterS: 5 });
        return nameOrigin(answer, request.headers.get("Origin"));
      }),
    operate,
    replaceKeys: async (keys) => {
      const known = new Set(keyring.names());
      await keyring.replace(keys);
      const pause = createPause();
      for (const name of keyring.names()) {
        if (!known.has(name)) metrics.expect({ keyNames: [name], stepNames: Object.keys(plan ?? {}) });
        await pause();
      }
    },
    total: metrics.total,
    async stop(): Promise<void> {
      isStopping = true;
      await underWay.idle();
      // Work goes on whose sender was answered before it ended.
      await limit.idle();
    },
  };
}
