import { assert, assertEquals } from "@std/assert";
import { createBrowserEnvironment } from "../../src/environment/browser.ts";
import { NO_ANSWER, type TransportAnswer, UNSENDABLE } from "../../src/environment/environment.ts";
import { REQUEST, withFetch } from "./fake_fetch.ts";
import { override, withWindow } from "./window_scope.ts";

Deno.test("createBrowserEnvironment() sends without credentials, referrer or redirects", () => {
  const calls: unknown[][] = [];
  const fetch = (...args: unknown[]): Promise<Response> => {
    calls.push(args);
    return Promise.resolve(new Response("{}", { status: 202 }));
  };

  return withFetch(fetch, async (send, settle) => {
    send();
    await settle();

    const [[url, init] = []] = calls;
    const { signal, ...options } = init as RequestInit;
    assertEquals(calls.length, 1);
    assertEquals(url, "https://ingest.example/v1/events");
    assert(signal instanceof AbortSignal);
    assertEquals(options, {
      method: "POST",
      headers: REQUEST.headers,
      body: REQUEST.body,
      mode: "cors",
      credentials: "omit",
      redirect: "error",
      referrerPolicy: "no-referrer",
      keepalive: true,
      priority: "low",
    });
  });
});

Deno.test("createBrowserEnvironment() passes on keepalive and priority", () => {
  const inits: RequestInit[] = [];
  const fetch = (_url: string, init: RequestInit): Promise<Response> => {
    inits.push(init);
    return Promise.resolve(new Response("{}", { status: 202 }));
  };

  return withFetch(fetch, async (send, settle) => {
    send({ ...REQUEST, keepalive: false, priority: "auto" });
    await settle();

    assertEquals(inits.map(({ keepalive, priority }) => ({ keepalive, priority })), [
      { keepalive: false, priority: "auto" },
    ]);
  });
});

for (
  const [url, status] of [
    ["https://ingest.example/v1/events", 200],
    ["https://shop.example/offline.html", NO_ANSWER],
    ["", 200], // of a mock
  ] as const
) {
  Deno.test(`createBrowserEnvironment() takes an answer from "${url}" for ${status}`, () => {
    const response = Object.defineProperty(new Response("", { status: 200 }), "url", { value: url });
    return withFetch(() => Promise.resolve(response), async (send, settle) => {
      const { answers } = send({ ...REQUEST, url: "https://INGEST.example:443/v1/events#a" });
      await settle();

      assertEquals(answers.map(({ status }) => status), [status]);
    });
  });
}

Deno.test("createBrowserEnvironment() calls fetch on the window, as browsers insist", () => {
  const owners: unknown[] = [];
  const fetch = function (this: unknown): Promise<Response> {
    owners.push((this as { location?: Location }).location?.href);
    return Promise.resolve(new Response("{}", { status: 202 }));
  };

  return withFetch(fetch, async (send, settle) => {
    send();
    await settle();

    assertEquals(owners, ["https://shop.example/teas"]);
  });
});

Deno.test("createBrowserEnvironment() answers when the body has been read to its end", () => {
  let finish = (): void => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"accepted"'));
      finish = () => {
        controller.enqueue(new TextEncoder().encode(":1}"));
        controller.close();
      };
    },
  });
  const response = new Response(body, { status: 202 });

  return withFetch(() => Promise.resolve(response), async (send, settle) => {
    const { answers } = send();
    await settle();
    assertEquals(response.bodyUsed, true);
    assertEquals(answers, []);

    finish();
    await settle();
    assertEquals(answers.map(({ status }) => status), [202]);
  });
});

Deno.test("createBrowserEnvironment() goes by the status where the body breaks off", () => {
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new TypeError("connection lost")),
  });

  return withFetch(() => Promise.resolve(new Response(body, { status: 202 })), async (send, settle) => {
    const { answers } = send();
    await settle();

    assertEquals(answers.map(({ status }) => status), [202]);
  });
});

Deno.test("createBrowserEnvironment() reads Retry-After as seconds", () => {
  const response = new Response("{}", { status: 429, headers: { "Retry-After": "7" } });

  return withFetch(() => Promise.resolve(response), async (send, settle) => {
    const { answers } = send();
    await settle();

    assertEquals(answers, [{ status: 429, retryAfterMs: 7000 }]);
  });
});

Deno.test("createBrowserEnvironment() reads Retry-After as a date", () => {
  const date = new Date(Date.now() + 120_000).toUTCString();
  const response = new Response("{}", { status: 503, headers: { "Retry-After": date } });

  return withFetch(() => Promise.resolve(response), async (send, settle) => {
    const { answers } = send();
    await settle();

    const { status, retryAfterMs = 0 } = answers[0] ?? {};
    assertEquals(status, 503);
    // Whole seconds in the header, and whatever the test itself took.
    assert(retryAfterMs > 110_000 && retryAfterMs <= 120_000, String(retryAfterMs));
  });
});

Deno.test("createBrowserEnvironment() has no answer where fetch rejects", () =>
  withFetch(() => Promise.reject(new TypeError("Failed to fetch")), async (send, settle) => {
    const { answers } = send();
    await settle();

    assertEquals(answers, [{ status: NO_ANSWER }]);
  }));

Deno.test("createBrowserEnvironment() has no answer where fetch throws at once, as a page's own wrapper may", () =>
  withFetch(() => {
    throw new Error("wrapper");
  }, async (send, settle) => {
    const { answers } = send();
    assertEquals(answers, []);
    await settle();

    assertEquals(answers, [{ status: NO_ANSWER }]);
  }));

Deno.test("createBrowserEnvironment() tells a bad header value from a network error", () => {
  const fetch = (url: string, init: RequestInit): Promise<Response> => Promise.reject(new Request(url, init));

  return withFetch(fetch, async (send, settle) => {
    const bad = send({ ...REQUEST, headers: { "X-API-Key": "pk\n1" } });
    const good = send();
    await settle();

    assertEquals(bad.answers, [{ status: UNSENDABLE }]);
    assertEquals(good.answers, [{ status: NO_ANSWER }]);
  });
});

Deno.test("createBrowserEnvironment() aborts the request it is asked to", () => {
  const signals: AbortSignal[] = [];
  const fetch = (_url: string, { signal }: { signal: AbortSignal }): Promise<Response> => {
    signals.push(signal);
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  };

  return withFetch(fetch, async (send, settle) => {
    const first = send();
    const second = send();

    first.abort();
    await settle();

    assertEquals(signals.map(({ aborted }) => aborted), [true, false]);
    assertEquals(first.answers, [{ status: NO_ANSWER }]);
    assertEquals(second.answers, []);
  });
});

Deno.test("createBrowserEnvironment() waits 5 s for a body that doesn't end, and then takes the status", () =>
  withWindow("https://shop.example/teas", async (scope) => {
    const timers: { readonly delayMs: number; readonly run: () => void }[] = [];
    const respond = (_url: string, { signal }: { readonly signal: AbortSignal }): Promise<Response> => {
      const start = (controller: ReadableStreamDefaultController): void => {
        controller.enqueue(new TextEncoder().encode("{"));
        signal.addEventListener("abort", () => controller.error(signal.reason));
      };
      return Promise.resolve(new Response(new ReadableStream({ start }), { status: 202 }));
    };
    override(scope, {
      Request,
      fetch: respond,
      setTimeout: (run: () => void, delayMs: number) => timers.push({ run, delayMs }),
    });
    const answers: TransportAnswer[] = [];
    createBrowserEnvironment(scope).send(REQUEST, (answer) => answers.push(answer));
    await new Promise((resolve) => setTimeout(resolve));
    assertEquals([answers, timers.map(({ delayMs }) => delayMs)], [[], [5000]]);

    timers[0]?.run();
    await new Promise((resolve) => setTimeout(resolve));

    assertEquals(answers.map(({ status }) => status), [202]);
  }));
