import { NO_ANSWER, type TransportAnswer } from "../environment/environment.ts";
import type { AggregatePageviewPayload, EventRequestPayload, StepEvent } from "../types.ts";
import {
  type AnySteps,
  type CapturedEvents,
  type CapturedStep,
  createCapturedEvents,
  isSuccess,
  withoutRepeats,
} from "./captured_events.ts";

/** Header that no request has but the SDK's; browsers write names in lower case. */
const VERSION_HEADER = "x-vendor-sdk-version";

const CORS_HEADERS: Readonly<Record<string, string>> = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "Retry-After",
};

/**
 * A request that Playwright intercepted, as far as {@linkcode captureRequests} needs it.
 *
 * @example
 * ```ts
 * import type { RoutedRequest } from "@vendor/sdk/testing";
 *
 * const request: RoutedRequest = {
 *   url: () => "https://ingest.example/v1/events",
 *   method: () => "POST",
 *   headers: () => ({ "x-vendor-sdk-version": "0.1.0" }),
 *   postData: () => "{}",
 * };
 * console.log(request.url());
 * ```
 */
export interface RoutedRequest {
  /** Returns where to. */
  url(): string;
  /** Returns the HTTP method. */
  method(): string;
  /** Returns the headers; names are in lower case. */
  headers(): Readonly<Record<string, string>>;
  /** Returns the body; null for none. */
  postData(): string | null;
}

/**
 * What Playwright hands to the handler of a route.
 *
 * @example
 * ```ts
 * import type { RequestRoute } from "@vendor/sdk/testing";
 *
 * const letPass = (route: RequestRoute): Promise<void> => route.fallback();
 * console.log(letPass);
 * ```
 */
export interface RequestRoute {
  /** Returns the request. */
  request(): RoutedRequest;
  /** Answers it. */
  fulfill(answer: { status: number; headers: Record<string, string>; body: string }): Promise<void>;
  /** Lets it fail. */
  abort(): Promise<void>;
  /** Leaves it to other handlers, and to the network where there are none. */
  fallback(): Promise<void>;
}

/**
 * What of Playwright's `Page` and `BrowserContext` {@linkcode captureRequests} uses: no type of Playwright's own, so
 * that nobody needs it who doesn't use it.
 *
 * @example
 * ```ts
 * import { captureRequests, type RoutablePage } from "@vendor/sdk/testing";
 *
 * async function visit(page: RoutablePage): Promise<void> {
 *   await captureRequests(page);
 * }
 * console.log(visit);
 * ```
 */
export interface RoutablePage {
  /** Has requests handled whose URL matches. */
  route(url: string | RegExp, handler: (route: RequestRoute) => Promise<void>): Promise<unknown>;
}

/**
 * Which requests are intercepted.
 *
 * @example
 * ```ts
 * import type { CaptureRequestsOptions } from "@vendor/sdk/testing";
 *
 * const options: CaptureRequestsOptions = { url: "https://shop.example/collect" };
 * console.log(options);
 * ```
 */
export interface CaptureRequestsOptions {
  /**
   * URL of the endpoint, or a pattern as of Playwright's `page.route()`. By default all requests of the page pass by, and
   * those of the SDK are known by their header, whatever the endpoint is; a URL is faster where a page loads a lot.
   *
   * @default {"**\/*"}
   */
  readonly url?: string | RegExp;
}

/**
 * A request of the SDK.
 *
 * @example
 * ```ts
 * import type { CapturedRequest } from "@vendor/sdk/testing";
 *
 * const keyOf = ({ headers }: CapturedRequest): string | undefined => headers["x-api-key"];
 * console.log(keyOf);
 * ```
 */
export interface CapturedRequest {
  /** Where to. */
  readonly url: string;
  /** Request headers; names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body as parsed; `"collection" in body` tells an aggregate one. */
  readonly body: EventRequestPayload | AggregatePageviewPayload;
  /** HTTP status that it was answered with; {@linkcode NO_ANSWER} where it was let fail. */
  readonly status: number;
}

/**
 * How long to wait.
 *
 * @example
 * ```ts
 * import type { WaitOptions } from "@vendor/sdk/testing";
 *
 * const options: WaitOptions = { timeoutMs: 20_000 };
 * console.log(options);
 * ```
 */
export interface WaitOptions {
  /**
   * Milliseconds. Events leave once per `flushInterval`, and behind a pageview a second later.
   *
   * @default {10000}
   */
  readonly timeoutMs?: number;
}

/**
 * What the SDK sent from pages of a real browser, and what answers it.
 *
 * @example
 * ```ts
 * import type { CapturedRequests } from "@vendor/sdk/testing";
 *
 * async function expectSignup(requests: CapturedRequests<{ signup: { plan: string } }>): Promise<void> {
 *   const { properties } = await requests.waitForStep("signup");
 *   if (properties.plan !== "pro") throw new Error(properties.plan);
 * }
 * console.log(expectSignup);
 * ```
 */
export interface CapturedRequests<Steps extends { readonly [Name in keyof Steps]: object | undefined } = AnySteps>
  extends CapturedEvents<Steps> {
  /** The requests, oldest first. `events` are those of the requests that were answered with a 2xx status, once each. */
  readonly requests: readonly CapturedRequest[];
  /** Sets how requests are answered from now on; one with the status {@linkcode NO_ANSWER} fails. 202 unless set. */
  respond(answer: TransportAnswer): void;
  /**
   * Waits for a step.
   *
   * @returns The first of that name, also where it came before.
   * @throws {Error} Where none comes in time; it says what came.
   */
  waitForStep<Name extends keyof Steps & string>(
    name: Name,
    options?: WaitOptions,
  ): Promise<CapturedStep<Steps, Name>>;
  /**
   * Waits until there are so many pageviews.
   *
   * @returns All of them.
   * @throws {Error} Where they don't come in time; it says what came.
   */
  waitForPageviews(count: number, options?: WaitOptions): Promise<readonly StepEvent[]>;
  /** Forgets what came. */
  clear(): void;
}

/**
 * Answers the requests of the SDK in the ingest's place, preflights included, so that none leaves the machine, and keeps
 * what they carry. For end-to-end tests with Playwright; call it before the page is opened. In a browser that Playwright
 * drives by WebDriver BiDi requests are answered, and whoever asks for an event gets an error: Playwright has no bodies.
 *
 * @param page Playwright's `Page`, or its `BrowserContext` for all pages of a visitor.
 *
 * @example
 * ```ts
 * import { captureRequests, type RequestRoute } from "@vendor/sdk/testing";
 *
 * // In place of Playwright's page: one that sends a step.
 * const page = {
 *   async route(_url: string | RegExp, handler: (route: RequestRoute) => Promise<void>) {
 *     const body = { type: "event", events: [{ id: "1", name: "signup", properties: { plan: "pro" } }] };
 *     await handler({
 *       request: () => ({
 *         url: () => "https://ingest.example/v1/events",
 *         method: () => "POST",
 *         headers: () => ({ "x-vendor-sdk-version": "0.1.0" }),
 *         postData: () => JSON.stringify(body),
 *       }),
 *       fulfill: async () => {},
 *       abort: async () => {},
 *       fallback: async () => {},
 *     });
 *   },
 * };
 * const requests = await captureRequests(page);
 * const { properties } = await requests.waitForStep("signup");
 * if (properties?.plan !== "pro") throw new Error("not captured");
 * ```
 */
export async function captureRequests<
  Steps extends { readonly [Name in keyof Steps]: object | undefined } = AnySteps,
>(page: RoutablePage, options: CaptureRequestsOptions = {}): Promise<CapturedRequests<Steps>> {
  const { url = "**/*" } = options;
  const requests: CapturedRequest[] = [];
  const watchers = new Set<() => void>();
  let answer: TransportAnswer = { status: 202 };
  let areBodiesMissing = false;

  const readRequests = (): readonly CapturedRequest[] => {
    if (areBodiesMissing) throw new Error(NO_BODIES);
    return requests;
  };
  const captured = createCapturedEvents<Steps>(() => {
    const delivered = readRequests().filter(({ status }) => isSuccess(status));
    return withoutRepeats(delivered.flatMap(({ body }): readonly StepEvent[] => body.events));
  });
  /** Waits until something is there. */
  const until = <Value>(find: () => Value | undefined, { timeoutMs = 10_000, what }: WaitOptions & { what: string }) =>
    new Promise<Value>((resolve, reject) => {
      const look = (): void => {
        try {
          const found = find();
          if (found !== undefined) resolve(found);
        } catch (error) {
          reject(error);
        }
      };
      watchers.add(look);
      look();
      AbortSignal.timeout(timeoutMs).addEventListener("abort", () => {
        watchers.delete(look);
        const names = requests.flatMap(({ body }) => body.events.map(({ name }) => name)).join(", ");
        reject(new Error(`no ${what} within ${timeoutMs} ms; what came: ${names || "nothing"}`));
      });
    });

  await page.route(url, async (route) => {
    const request = route.request();
    const headers = request.headers();
    if (request.method() === "OPTIONS" && headers["access-control-request-headers"]?.includes(VERSION_HEADER)) {
      return await settle(route.fulfill(PREFLIGHT_ANSWER));
    }
    if (request.method() !== "POST" || headers[VERSION_HEADER] === undefined) return await route.fallback();
    const { status, retryAfterMs } = answer;
    const text = request.postData();
    const body: CapturedRequest["body"] | undefined = text ? JSON.parse(text) : undefined;
    if (body) requests.push({ url: request.url(), headers, body, status });
    else areBodiesMissing = true;
    for (const look of [...watchers]) look();
    await settle(
      status === NO_ANSWER
        ? route.abort()
        : route.fulfill(buildAnswer({ status, count: body?.events.length ?? 0, retryAfterMs })),
    );
  });

  return {
    get requests() {
      return readRequests();
    },
    get events() {
      return captured.events;
    },
    get pageviews() {
      return captured.pageviews;
    },
    steps: captured.steps,
    respond(next) {
      answer = next;
    },
    waitForStep: (name, options) => until(() => captured.steps(name)[0], { ...options, what: `step "${name}"` }),
    waitForPageviews(count, options) {
      const find = (): readonly StepEvent[] | undefined =>
        captured.pageviews.length < count ? undefined : captured.pageviews;
      return until(find, { ...options, what: `${count} pageviews` });
    },
    clear: () => void requests.splice(0),
  };
}

const NO_BODIES =
  "Playwright has no bodies of requests in a browser that it drives by WebDriver BiDi, as with the channel " +
  "moz-firefox; use the Firefox that `npx playwright install firefox` brings, or Chromium";

type RoutedAnswer = Parameters<RequestRoute["fulfill"]>[0];

const PREFLIGHT_ANSWER: RoutedAnswer = {
  status: 204,
  headers: {
    ...CORS_HEADERS,
    "Access-Control-Allow-Methods": "POST",
    "Access-Control-Allow-Headers": `content-type, x-api-key, ${VERSION_HEADER}`,
  },
  body: "",
};

interface Answer {
  readonly status: number;
  /** How many events the request has. */
  readonly count: number;
  readonly retryAfterMs: number | undefined;
}

/** Answers as the ingest does. */
function buildAnswer({ status, count, retryAfterMs }: Answer): RoutedAnswer {
  return {
    status,
    headers: {
      ...CORS_HEADERS,
      "Content-Type": "application/json",
      ...retryAfterMs !== undefined && { "Retry-After": String(Math.ceil(retryAfterMs / 1000)) },
    },
    body: JSON.stringify(
      isSuccess(status) ? { accepted: count, duplicates: 0 } : { error: { code: "test", message: "" } },
    ),
  };
}

/** Waits for an answer to be given. It can't where the page has gone, whose last request needs none. */
async function settle(answer: Promise<void>): Promise<void> {
  await answer.catch(() => {});
}
