import { describeError } from "./platform/describe_error.ts";
import { type Answer, answerRefusal, nameOrigin, toResponse } from "./http/answers.ts";
import { fromRequest, type IngestRequest } from "./http/request.ts";
import { guard } from "./platform/guard.ts";
import { isPath } from "./contract/syntax.ts";
import { createKeyring, type Keyring } from "./keys/keyring.ts";
import type { IngestOptions } from "./options.ts";
import { buildRefusal, DEFAULT_RETRY_S, type Refusal } from "./contract/refusal.ts";
import { createBatchPlan } from "./plan.ts";
import {
  type Arrival,
  checkHeaders,
  createBodyReader,
  createEventReader,
  createExchange,
  createKeyFinder,
  createRequestBudget,
  createRoute,
  createSenderCheck,
  createStore,
  type Exchange,
  spendBytes,
  type Stage,
  type StageAround,
  unzip,
  type Verdict,
} from "./stages.ts";

/** Answers one request; never rejects. Mounts wherever a Web-standard handler does (Fetch standard). */
export type Ingest = (request: Request) => Promise<Response>;

/** Answers one request of somewhere; neither throws nor rejects. */
export type GuardedIngest = (request: IngestRequest, arrival: Arrival) => Answer | Promise<Answer>;

/** The stages of a server, which bounds what arrives and what is at work. */
export interface ServerStages {
  /** Reads the body. */
  readonly receive: Stage;
  /** Stands around the work on a body that is there. */
  readonly limit: StageAround;
  /** Stands around what parses the body and stores it. */
  readonly memory: StageAround;
}

/** Options of {@linkcode createGuardedIngest}, without those of the server's stages. */
export interface GuardedIngestOptions
  extends Omit<IngestOptions, "keys" | "bodyTimeoutMs" | "addressOf" | "countryOf"> {
  /** Keys that may send. */
  readonly keyring: Keyring;
  /** The stages of its own. */
  readonly stages: ServerStages;
}

/** Path of the ingest endpoint (SPEC 4.1, 9). */
const DEFAULT_PATH = "/v1/events";

const UNAVAILABLE: Refusal = {
  ...buildRefusal("unavailable", "the events couldn't be stored, try again later"),
  retryAfterS: DEFAULT_RETRY_S,
};

/** A platform that breaks requests off, as Workers do, would never give the place or the memory of one back. */
const UNBOUNDED: StageAround = { around: (_, next) => next() };

/**
 * Creates the receiving side: checks requests against the specification and stores their events once per
 * key and event ID. A request is answered 202 only after the sink has stored it.
 *
 * @example
 * ```ts
 * import { createIngest, createMemorySink } from "@vendor/ingest";
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
  const { keys, addressOf, countryOf, bodyTimeoutMs, ...others } = options;
  const stages = { receive: createBodyReader(bodyTimeoutMs), limit: UNBOUNDED, memory: UNBOUNDED };
  const ingest = inName("createIngest()", () => {
    if (!keys?.length) throw new TypeError("keys must name at least one key");
    return createGuardedIngest({ ...others, keyring: createKeyring(keys, options.now), stages });
  });
  const reportError = guard(options.onError);

  function findOf(request: Request, find: IngestOptions["addressOf"]): string | undefined {
    try {
      return find?.(request);
    } catch (error) {
      reportError(error);
      return undefined;
    }
  }

  return async (request) => {
    const arrival = {
      address: findOf(request, addressOf),
      country: findOf(request, countryOf),
      network: undefined,
      startMs: performance.now(),
    };
    return toResponse(await ingest(fromRequest(request), arrival));
  };
}

/** Says which function an error of the application is thrown by. */
function inName<T>(name: string, create: () => T): T {
  try {
    return create();
  } catch (error) {
    throw new TypeError(`${name}: ${describeError(error)}`);
  }
}

/**
 * Creates the ingest of a server that bounds what arrives and what is at work by itself.
 *
 * @throws {TypeError} As {@linkcode createIngest} does.
 */
export function createGuardedIngest(options: GuardedIngestOptions): GuardedIngest {
  const { keyring, sink, path = DEFAULT_PATH, now = Date.now, throttle, planMode = "count" } = options;
  if (!isPath(path)) throw new TypeError('path must be one such as "/v1/events", as a URL has it');
  const notifyOutcome = guard(options.onOutcome);
  const reportError = guard(options.onError);
  const plan = options.plan && createBatchPlan(options.plan, { mode: planMode, onError: reportError });

  // Everything that needs nothing of the body comes before it, and what costs more behind what costs less.
  const stages: readonly (Stage | StageAround)[] = [
    createRoute(path), // 404, 405; 204 to a preflight
    createKeyFinder(keyring), // 401
    createSenderCheck(keyring), // 401, 403
    checkHeaders, // 400, 415
    createRequestBudget(throttle), // 429
    options.stages.receive, // 413, 503
    options.stages.limit,
    unzip, // 400, 413
    spendBytes, // 429
    options.stages.memory,
    createEventReader(now), // 400, 413
    createStore({ // 202, or what the sink refuses
      sink,
      plan,
      isRefusing: plan !== undefined && planMode === "refuse",
      notifyEvents: guard(options.onEvents),
      notifyOutcome,
      reportError,
    }),
  ];

  /** Walks the stages from one of them to the one that answers. Waits for those alone that take their time. */
  function walk(exchange: Exchange, from: number): Answer | Promise<Answer> {
    try {
      for (let at = from; at < stages.length; at++) {
        const stage = stages[at];
        if (typeof stage === "object") return stage.around(exchange, () => walk(exchange, at + 1));
        const verdict = stage?.(exchange);
        if (verdict instanceof Promise) return walkOn(verdict, exchange, at + 1);
        if (verdict !== undefined) return end(verdict, exchange);
      }
      throw new Error("no stage has answered");
    } catch (error) {
      return fail(error, exchange);
    }
  }

  async function walkOn(waiting: Promise<Verdict>, exchange: Exchange, next: number): Promise<Answer> {
    try {
      const verdict = await waiting;
      return verdict === undefined ? await walk(exchange, next) : end(verdict, exchange);
    } catch (error) {
      return fail(error, exchange);
    }
  }

  function end(verdict: Refusal | Answer, { key }: Exchange): Answer {
    if ("headers" in verdict) return verdict;
    const { status, code, message } = verdict;
    notifyOutcome({ kind: "refused", ...(key && { keyName: key.name }), status, code, message });
    return answerRefusal(verdict);
  }

  function fail(error: unknown, exchange: Exchange): Answer {
    // Whatever failed, the sender is to keep its events and come back: never a 500.
    reportError(error);
    return end(UNAVAILABLE, exchange);
  }

  return (request, arrival) => {
    const exchange = createExchange(request, arrival);
    const answer = walk(exchange, 0);
    return answer instanceof Promise
      ? answer.then((later) => nameOrigin(later, exchange.origin))
      : nameOrigin(answer, exchange.origin);
  };
}
