import { assert, assertEquals } from "@std/assert";
import { createBrowserEnvironment } from "../../../src/client/platform/browser.ts";
import { NO_ANSWER } from "../../../src/client/platform/environment.ts";
import { REQUEST, withFetch } from "./fake_fetch.ts";
import { override, withWindow } from "./window_scope.ts";

Deno.test("createBrowserEnvironment() sends by the window's fetch, without credentials, referrer or redirects", () => {
  const calls: unknown[][] = [];
  const fetch = function (this: unknown, ...args: unknown[]): Promise<Response> {
    calls.push([(this as { readonly location?: Location }).location?.href, ...args]);
    return Promise.resolve(new Response("{}", { status: 202 }));
  };

  return withFetch(fetch, async (send, settle) => {
    send();
    await settle();

    const [[owner, url, init] = []] = calls;
    const { signal, mode = "cors", ...options } = init as RequestInit;
    assertEquals([calls.length, owner, url, mode], [1, "https://shop.example/teas", REQUEST.url, "cors"]);
    assert(signal instanceof AbortSignal);
    assertEquals(options, {
      method: "POST",
      headers: REQUEST.headers,
      body: REQUEST.body,
      credentials: "omit",
      redirect: "error",
      referrerPolicy: "no-referrer",
      keepalive: true,
      priority: "low",
    });
  });
});

const ENDPOINT = "https://ingest.example/v1/events";
const OWN_ENDPOINT = "https://shop.example/v1/events";

for (
  const [what, fields, isControlled, status] of [
    ["the ingest's", { type: "cors", url: ENDPOINT }, true, 200],
    ["one through a wrapper that goes around caches", { type: "cors", url: `${ENDPOINT}?_=1764000000000` }, false, 200],
    ["a page of the site from a cache", { type: "basic", url: "https://shop.example/offline.html" }, true, NO_ANSWER],
    ["another path of the ingest's origin", { type: "cors", url: "https://ingest.example/" }, true, NO_ANSWER],
    ["one of the page's origin to a request to another", { type: "basic", url: "" }, true, NO_ANSWER],
    ["what a DOM in memory calls basic", { type: "basic", url: "" }, false, 200],
    ["a text that a service worker made up", { type: "default", url: "" }, true, NO_ANSWER],
    ["a wrapper's own Response", { type: "default", url: "" }, false, 200],
    ["an endpoint's on the page's own origin", { type: "basic", url: OWN_ENDPOINT, to: OWN_ENDPOINT }, true, 200],
  ] as const
) {
  Deno.test(`createBrowserEnvironment() takes ${what} for ${status}, with a service worker: ${isControlled}`, () => {
    const { to = "https://INGEST.example:443/v1/events#a", ...values } = fields as typeof fields & { to?: string };
    const response = new Response("", { status: 200, headers: { "Retry-After": "60" } });
    override(response, values);
    const serviceWorker = { controller: isControlled ? {} : null };
    return withFetch(() => Promise.resolve(response), async (send, settle) => {
      const { answers } = send({ ...REQUEST, url: to });
      await settle();

      // What the ingest didn't say holds up nothing.
      const retryAfterMs = status === NO_ANSWER ? undefined : 60_000;
      assertEquals(answers.map((answer) => [answer.status, answer.retryAfterMs]), [[status, retryAfterMs]]);
    }, { navigator: { serviceWorker } });
  });
}

for (
  const [what, response, answer] of [
    ["the body was read by the application's wrapper", () => consumed(new Response("{}", { status: 202 })), 202],
    ["the body never ends", () => new Response(new ReadableStream(), { status: 202 }), 202],
    ["the body breaks off", () => new Response(brokenBody(), { status: 202 }), 202],
    ["the wrapper returns an object of its own", () => ({ ok: true, status: 202, data: {} }), 202],
    ["reading its own headers throws", () => ({
      status: 503,
      get headers() {
        return { get: fail };
      },
    }), 503],
    ["the wrapper returns a URL of its own kind", () => ({ status: 202, url: new URL(REQUEST.url) }), 202],
    ["the wrapper returns a path", () => ({ status: 202, url: "/v1/events" }), 202],
    ["the wrapper's text() returns no promise", () => ({ status: 202, text: () => ({ catch: () => 1 }) }), 202],
    ["the wrapper returns the body alone", () => ({ accepted: 1, duplicates: 0 }), NO_ANSWER],
    ["a mock returns nothing", () => undefined, NO_ANSWER],
  ] as const
) {
  Deno.test(`createBrowserEnvironment() answers ${answer}, at once, where ${what}`, () =>
    withFetch(async () => await response(), async (send, settle) => {
      const { answers } = send();
      await settle();

      assertEquals(answers.map(({ status }) => status), [answer]);
    }));
}

Deno.test("createBrowserEnvironment() reads the body to its end", () => {
  const response = new Response("{}", { status: 202 });

  return withFetch(() => Promise.resolve(response), async (send, settle) => {
    send();
    await settle();

    assertEquals(response.bodyUsed, true);
  });
});

Deno.test("createBrowserEnvironment() has no answer where fetch throws at once, as a page's own wrapper may", () =>
  withFetch(() => {
    throw new Error("wrapper");
  }, async (send, settle) => {
    const { answers } = send();
    assertEquals(answers, []);
    await settle();

    assertEquals(answers, [{ status: NO_ANSWER }]);
  }));

Deno.test("createBrowserEnvironment() takes a network error for one where the page has a Request of its own", () =>
  withFetch(() => Promise.reject(new TypeError("Failed to fetch")), async (send, settle) => {
    const { answers } = send();
    await settle();

    assertEquals(answers, [{ status: NO_ANSWER }]);
  }, { Request: {} }));

Deno.test("createBrowserEnvironment() keeps from the page what fails behind an answer", () =>
  withWindow("https://shop.example/teas", async (scope) => {
    override(scope, { Request, fetch: () => Promise.resolve(new Response("{}", { status: 202 })) });
    const { send } = createBrowserEnvironment(scope);

    send(REQUEST, fail);
    send(REQUEST, async () => {
      await null;
      fail();
    });

    await new Promise((resolve) => setTimeout(resolve)); // a rejection that nobody handles fails the test
  }));

async function consumed(response: Response): Promise<Response> {
  await response.text();
  return response;
}

function brokenBody(): ReadableStream {
  return new ReadableStream({ pull: fail });
}

function fail(): never {
  throw new Error("broken");
}
