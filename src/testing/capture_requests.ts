import type { TransportAnswer } from "../client/platform/environment.ts";
import type { AggregatePageviewPayload, EventRequestPayload, StepEvent } from "../client/base/types.ts";
import {
  type AnySteps,
  type CapturedEvents,
  type CapturedStep,
  createCapturedEvents,
  isSuccess,
  withoutRepeats,
} from "./captured_events.ts";

/** Header that no request has but the SDK's, as the SDK writes it. */
const VERSION_HEADER = "X-Vendor-SDK-Version";

/** Name under which pages reach us. */
const HAND_OVER = "__vendorSdkRequest";

/**
 * What of Playwright's `Page` and `BrowserContext` {@linkcode captureRequests} uses: no type of Playwright's own, so
 * that nobody needs it who doesn't use it.
 *
 * @example
 * ```ts
 * import { captureRequests, type ScriptablePage } from "@vendor/sdk/testing";
 *
 * async function visit(page: ScriptablePage): Promise<void> {
 *   await captureRequests(page);
 * }
 * console.log(visit);
 * ```
 */
export interface ScriptablePage {
  /** Gives each page a function that calls back here. */
  exposeFunction(
    name: string,
    callback: (request: Pick<CapturedRequest, "url" | "headers"> & { readonly text: string }) => TransportAnswer,
  ): Promise<unknown>;
  /** Runs a script in each page before the page's own. */
  addInitScript(script: { content: string }): Promise<unknown>;
}

/** What pages call with each request. */
type HandOver = Parameters<ScriptablePage["exposeFunction"]>[1];

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
  /** HTTP status that it was answered with; {@linkcode NO_ANSWER} where it failed. */
  readonly status: number;
}

/**
 * What the SDK sent from pages of a real browser, and what answers it.
 *
 * @example
 * ```ts
 * import type { CapturedRequests } from "@vendor/sdk/testing";
 *
 * async function expectSignup(requests: CapturedRequests<{ signup: { tier: string } }>): Promise<void> {
 *   const { properties } = await requests.waitForStep("signup");
 *   if (properties.tier !== "pro") throw new Error(properties.tier);
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
   * Waits for a step. Events leave once per `flushInterval`, and behind a pageview a second later.
   *
   * @param options How long to wait: 10,000 ms by default.
   * @returns The first of that name, also where it came before.
   * @throws {Error} Where none comes in time; it says what came.
   */
  waitForStep<Name extends keyof Steps & string>(
    name: Name,
    options?: { readonly timeoutMs?: number },
  ): Promise<CapturedStep<Steps, Name>>;
  /**
   * Waits until there are so many pageviews.
   *
   * @param options As those of `waitForStep()`.
   * @returns All of them.
   * @throws {Error} Where they don't come in time; it says what came.
   */
  waitForPageviews(count: number, options?: { readonly timeoutMs?: number }): Promise<readonly StepEvent[]>;
  /** Forgets what came. */
  clear(): void;
}

/**
 * Does the ingest's part in end-to-end tests with Playwright: takes the requests of the SDK from the pages of a real
 * browser, in place of their `fetch()`, answers them, and keeps what they carry. None leaves the machine, nor those that
 * a page makes as it goes: what they carry comes then, or with the next page of the site. Call it before the page is
 * opened.
 *
 * @param page Playwright's `Page`, or its `BrowserContext` for all pages of a visitor.
 *
 * @example
 * ```ts
 * import { captureRequests, type ScriptablePage } from "@vendor/sdk/testing";
 *
 * // In place of Playwright's page: one that sends a step.
 * const page: ScriptablePage = {
 *   async exposeFunction(_name, send) {
 *     const body = { type: "event", events: [{ id: "1", name: "signup", properties: { tier: "pro" } }] };
 *     send({ url: "https://ingest.example/v1/events", headers: {}, text: JSON.stringify(body) });
 *   },
 *   async addInitScript() {},
 * };
 * const requests = await captureRequests(page);
 * const { properties } = await requests.waitForStep("signup");
 * if (properties?.tier !== "pro") throw new Error("not captured");
 * ```
 */
export async function captureRequests<
  Steps extends { readonly [Name in keyof Steps]: object | undefined } = AnySteps,
>(page: ScriptablePage): Promise<CapturedRequests<Steps>> {
  const requests: CapturedRequest[] = [];
  const watchers = new Set<() => void>();
  let answer: TransportAnswer = { status: 202 };

  const captured = createCapturedEvents<Steps>(() => {
    const delivered = requests.filter(({ status }) => isSuccess(status));
    return withoutRepeats(delivered.flatMap(({ body }): readonly StepEvent[] => body.events));
  });
  /** Waits until something is there. */
  const until = <Value>(
    find: () => Value | undefined,
    { timeoutMs = 10_000, what }: { timeoutMs?: number; what: string },
  ) =>
    new Promise<Value>((resolve, reject) => {
      const look = (): void => {
        const found = find();
        if (found === undefined) return;
        watchers.delete(look);
        resolve(found);
      };
      watchers.add(look);
      look();
      AbortSignal.timeout(timeoutMs).addEventListener("abort", () => {
        watchers.delete(look);
        const names = requests.flatMap(({ body }) => body.events.map(({ name }) => name)).join(", ");
        reject(new Error(`no ${what} within ${timeoutMs} ms; what came: ${names || "nothing"}`));
      });
    });

  await page.exposeFunction(HAND_OVER, ({ url, headers, text }) => {
    requests.push({ url, headers, body: JSON.parse(text), status: answer.status });
    for (const look of [...watchers]) look();
    return answer;
  });
  await page.addInitScript({ content: `(${replaceFetch})(${JSON.stringify([HAND_OVER, VERSION_HEADER])})` });

  return {
    requests,
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

/**
 * Runs in the page, and so refers to nothing of this file: hands the requests with a header over, and leaves all others
 * to the browser.
 */
function replaceFetch([handOver, header]: readonly [handOver: string, header: string]): void {
  // deno-lint-ignore vendor/platform-globals -- that of the page
  const page = globalThis;
  const { fetch } = page;
  const send: (...sent: Parameters<HandOver>) => Promise<TransportAnswer> = Reflect.get(page, handOver);
  const post = (url: string, { headers, body, signal }: RequestInit): Promise<Response> =>
    new Promise((resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason));
      // In this task, since the page may be about to go.
      const sent = send({ url, headers: Object.fromEntries(new Headers(headers)), text: String(body) });
      sent.then(({ status, retryAfterMs }) => {
        if (status === 0) throw new TypeError("Failed to fetch");
        const retryAfter = retryAfterMs && { "Retry-After": String(Math.ceil(retryAfterMs / 1000)) };
        resolve(new Response(null, { status, headers: retryAfter || {} }));
      }).catch(reject);
    });
  /** Whether the SDK made a request, in whatever form a tool between it and us passes the headers on. */
  const isOurs = (headers?: HeadersInit): boolean => {
    try {
      return new Headers(headers).has(header);
    } catch {
      return false; // fetch() itself refuses them
    }
  };
  const repost = async (request: Request): Promise<Response> => {
    const { url, headers, signal } = request;
    return post(url, { headers, signal, body: await request.text() });
  };
  page.fetch = (input, init) => {
    if (init?.headers) return isOurs(init.headers) ? post(String(input), init) : fetch(input, init);
    return input instanceof Request && isOurs(input.headers) ? repost(input) : fetch(input, init);
  };
}
