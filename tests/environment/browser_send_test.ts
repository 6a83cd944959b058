import { assert, assertEquals } from "@std/assert";
import { NO_ANSWER } from "../../src/environment/environment.ts";
import { REQUEST, withFetch } from "./fake_fetch.ts";

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
    assertEquals([response.bodyUsed, answers], [true, []]);

    finish();
    await settle();
    assertEquals(answers.map(({ status }) => status), [202]);
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
