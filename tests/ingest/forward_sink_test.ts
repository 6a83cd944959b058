import { assert, assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { createForwardSink, createIngest, createMemorySink, type ForwardSinkOptions } from "../../src/ingest/mod.ts";
import { assertRefused, assertStored } from "./answers.ts";
import { AGGREGATE, EVENT, FULL, headersOf, KEY, ORIGIN, OTHER_KEY, post } from "./fixtures.ts";

const KEYS = [{ apiKey: KEY, origins: [ORIGIN] }] as const;

interface Upstream {
  readonly url: string;
  readonly received: { readonly headers: Headers; readonly body: Uint8Array }[];
}

async function withUpstream(
  answer: (request: Request) => Response | Promise<Response>,
  use: (upstream: Upstream) => Promise<void>,
): Promise<void> {
  const received: Upstream["received"] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const copy = request.clone();
    received.push({ headers: new Headers(request.headers), body: await request.bytes() });
    return await answer(copy);
  });
  try {
    await use({ url: `http://127.0.0.1:${server.addr.port}/v1/events`, received });
  } finally {
    await server.shutdown();
  }
}

async function forward(
  answer: Response | ((request: Request) => Response | Promise<Response>),
  options: Partial<ForwardSinkOptions> = {},
): Promise<Response> {
  const { promise, resolve } = Promise.withResolvers<Response>();
  await withUpstream(typeof answer === "function" ? answer : () => answer, async ({ url }) => {
    const sink = createForwardSink({ url, ...options });
    resolve(await createIngest({ keys: KEYS, sink })(post(FULL)));
    await sink.close();
  });
  return await promise;
}

function error(status: number, headers: Record<string, string> = {}): Response {
  return Response.json({ error: { code: "some_code", message: "some words" } }, { status, headers });
}

Deno.test("createForwardSink() passes a full body on byte for byte, with the sender's key, version and origin", async () => {
  const body = `  ${JSON.stringify({ ...FULL, unknown: "\u00e4\ud83d\ude00" })}\n`;

  await withUpstream(() => Response.json({ accepted: 1, duplicates: 0 }, { status: 202 }), async (upstream) => {
    const sink = createForwardSink({ url: upstream.url });
    const answer = await createIngest({ keys: KEYS, sink })(post(body, { "X-Vendor-SDK-Version": "9.9.9" }));
    await sink.close();

    const [{ headers, body: sent } = { headers: new Headers(), body: new Uint8Array() }] = upstream.received;
    await assertStored(answer, 1, 0);
    assertEquals(sent, new TextEncoder().encode(body));
    assertEquals(headers.get("X-API-Key"), KEY);
    assertEquals(headers.get("X-Vendor-SDK-Version"), "9.9.9");
    assertEquals(headers.get("Content-Type"), "application/json");
    assertEquals(headers.get("Origin"), ORIGIN);
  });
});

Deno.test("createForwardSink() sends with a key and an origin of its own", async () => {
  await withUpstream(() => new Response(null, { status: 204 }), async (upstream) => {
    const sink = createForwardSink({ url: upstream.url, apiKey: OTHER_KEY, origin: "https://other.example" });
    await createIngest({ keys: KEYS, sink })(post(AGGREGATE));
    await sink.close();

    assertEquals(upstream.received[0]?.headers.get("X-API-Key"), OTHER_KEY);
    assertEquals(upstream.received[0]?.headers.get("Origin"), "https://other.example");
  });
});

Deno.test("createForwardSink() sends no origin for a sender that names none", async () => {
  await withUpstream(() => new Response(null, { status: 204 }), async (upstream) => {
    const sink = createForwardSink({ url: upstream.url });
    await createIngest({ keys: [{ apiKey: KEY, origins: "any" }], sink })(post(FULL, { Origin: null }));
    await sink.close();

    assertEquals(upstream.received[0]?.headers.has("Origin"), false);
  });
});

Deno.test("createForwardSink() in front of an ingest answers as that does", async () => {
  const behind = createIngest({ keys: [{ apiKey: KEY, origins: [ORIGIN] }], sink: createMemorySink() });

  await withUpstream(behind, async ({ url }) => {
    const sink = createForwardSink({ url });
    const ingest = createIngest({ keys: KEYS, sink });
    await assertStored(await ingest(post(FULL)), 1, 0);
    await assertStored(await ingest(post({ ...FULL, events: [EVENT, { ...EVENT, id: "e-2" }] })), 1, 1);
    await sink.close();
  });
});

Deno.test("createForwardSink() says nothing was stored that the plan of an ingest behind it refused", async () => {
  const plan = { logout: undefined };
  const keys = [{ apiKey: KEY, origins: [ORIGIN] }];
  const behind = createIngest({ keys, sink: createMemorySink(), plan, planMode: "refuse" });
  const { properties: _, ...logout } = { ...EVENT, id: "e-2", name: "logout" };
  const heard: string[] = [];

  await withUpstream(behind, async ({ url }) => {
    const sink = createForwardSink({ url });
    const ingest = createIngest({ keys, sink, onEvents: (events) => heard.push(...events.map(({ id }) => id)) });
    await assertStored(await ingest(post({ ...FULL, events: [EVENT, logout] })), 1, 0);
    await assertStored(await ingest(post(FULL)), 0, 0);
    await sink.close();
  });

  assertEquals(heard, []);
});

Deno.test("createForwardSink() takes any success for one", async () => {
  await assertStored(await forward(new Response("ok")), 1, 0);
  await assertStored(await forward(new Response(null, { status: 204 })), 1, 0);
  await assertStored(await forward(Response.json({ accepted: -1, duplicates: "x" })), 1, 0);
  await assertStored(await forward(new Response("x".repeat(100_000))), 1, 0);
});

Deno.test("createForwardSink() passes refusals of the batch and of the sender's key on", async () => {
  const refusal = { code: "some_code", message: "some words" };

  await assertRefused(await forward(error(400)), 400, refusal);
  await assertRefused(await forward(error(422)), 400, refusal);
  await assertRefused(await forward(error(413)), 413, refusal);
  await assertRefused(await forward(error(415)), 415, refusal);
  await assertRefused(await forward(error(401)), 401, refusal);
  await assertRefused(await forward(error(403)), 403, refusal);
  await assertRefused(await forward(new Response("<h1>no</h1>", { status: 400 })), 400, {
    code: "refused_upstream",
    message: "the endpoint refused the events",
  });
});

Deno.test("createForwardSink() keeps the sender's events when its own key is refused", async () => {
  const answer = await forward(error(401), { apiKey: OTHER_KEY });

  assertEquals(answer.headers.get("Retry-After"), "5");
  await assertRefused(answer, 503, {
    code: "upstream_unavailable",
    message: "the endpoint refuses the proxy's key",
  });
});

Deno.test("createForwardSink() keeps the sender's events when its own origin is refused", async () => {
  const origin = "https://other.example";
  const answer = await forward(error(403), { origin });

  assertEquals(answer.headers.get("Retry-After"), "5");
  await assertRefused(answer, 503, {
    code: "upstream_unavailable",
    message: "the endpoint refuses the proxy's origin",
  });
  assertEquals((await forward(error(401), { origin })).status, 401);
});

Deno.test("createForwardSink() passes 429 on with its Retry-After, in seconds, as a date, or a default", async () => {
  const date = new Date(Date.now() + 60_000).toUTCString();

  const seconds = await forward(error(429, { "Retry-After": "17" }));
  const atDate = await forward(error(429, { "Retry-After": date }));
  const tooLong = await forward(error(429, { "Retry-After": "86400" }));
  const none = await forward(error(429));

  assertEquals([seconds, tooLong, none].map((answer) => answer.headers.get("Retry-After")), ["17", "300", "5"]);
  assert(Math.abs(Number(atDate.headers.get("Retry-After")) - 60) <= 2);
  await assertRefused(seconds, 429, { code: "some_code", message: "some words" });
});

Deno.test("createForwardSink() answers 503 with Retry-After to whatever else the endpoint says", async () => {
  const statuses = [302, 307, 404, 405, 408, 410, 425, 451, 500, 501, 502, 503, 504, 505];

  const answers: Response[] = [];
  for (const status of statuses) answers.push(await forward(error(status, { "Retry-After": "9" })));

  assertEquals(answers.map(({ status }) => status), statuses.map(() => 503));
  assertEquals(answers.map(({ headers }) => headers.get("Retry-After")), statuses.map(() => "9"));
});

Deno.test("createForwardSink() doesn't follow a redirect, which would hand the key to another host", async () => {
  const elsewhere: string[] = [];
  await withUpstream((request) => {
    elsewhere.push(request.url);
    return new Response("ok");
  }, async (other) => {
    await forward(() => new Response(null, { status: 307, headers: { Location: other.url } }));
  });

  assertEquals(elsewhere, []);
});

Deno.test("createForwardSink() answers 503 when nobody listens, and says why to the operator alone", async () => {
  const errors: unknown[] = [];
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const sink = createForwardSink({ url: `http://127.0.0.1:${port}/v1/events?token=secret` });
  const ingest = createIngest({ keys: KEYS, sink, onError: (reason) => errors.push(reason) });

  const answer = await ingest(post(FULL));
  await assertRejects(async () => await sink.check?.(), Error, "didn't answer");
  await sink.close();

  assertEquals(answer.headers.get("Retry-After"), "5");
  await assertRefused(answer, 503, {
    code: "upstream_unavailable",
    message: "the endpoint can't take the events, try again later",
  });
  assertStringIncludes(String(errors[0]), "the endpoint of the forward sink didn't answer");
  assertEquals(String(errors[0]).includes("secret"), false);
});

Deno.test("createForwardSink() tells the operator what an endpoint at fault answers", async () => {
  const errors: unknown[] = [];
  await withUpstream(() => error(502), async ({ url }) => {
    const sink = createForwardSink({ url });
    const ingest = createIngest({ keys: KEYS, sink, onError: (reason) => errors.push(reason) });
    const answer = await ingest(post(FULL));
    await sink.close();

    assertEquals((await answer.json()).error.code, "upstream_unavailable");
    assertEquals(errors.map(String), ["Error: the endpoint of the forward sink answers 502"]);
  });
});

Deno.test("createForwardSink() gives up on an endpoint that doesn't answer in time", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();

  const answer = await forward(() => {
    setTimeout(() => resolve(new Response("late")), 300);
    return promise;
  }, { timeoutMs: 50 });

  assertEquals([answer.status, (await answer.json()).error.code], [503, "upstream_unavailable"]);
});

Deno.test("createForwardSink() checks that the endpoint answers at all", async () => {
  await withUpstream(
    (request) => new Response(null, { status: request.method === "OPTIONS" ? 204 : 500 }),
    async ({ url }) => {
      const sink = createForwardSink({ url });
      await sink.check?.();
      await sink.close();
      const refusal = await sink.store({ apiKey: KEY, events: [], body: new Uint8Array(), sdkVersion: "" });
      assertEquals("code" in refusal && refusal.code, "upstream_unavailable");
    },
  );
  await withUpstream(() => new Response(null, { status: 502 }), async ({ url }) => {
    const sink = createForwardSink({ url });
    await assertRejects(async () => await sink.check?.(), Error, "answers 502");
    await sink.close();
  });
});

Deno.test("createForwardSink() waits for what is under way when it closes", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  await withUpstream(() => promise, async ({ url, received }) => {
    const sink = createForwardSink({ url });
    const answering = createIngest({ keys: KEYS, sink })(post(FULL));
    while (received.length === 0) await new Promise((next) => setTimeout(next, 5));

    const closing = sink.close();
    resolve(new Response("ok"));
    await closing;

    assertEquals((await answering).status, 202);
  });
});

Deno.test("createForwardSink() refuses an address that can't be right", () => {
  assertThrows(() => createForwardSink({ url: "ingest.example" }), TypeError, "http or https URL");
  assertThrows(() => createForwardSink({ url: "ftp://ingest.example" }), TypeError, "http or https URL");
  assertThrows(() => createForwardSink({ url: "https://a:b@ingest.example" }), TypeError, "without credentials");
});

Deno.test("createForwardSink() leaves what the ingest refuses unsent", async () => {
  await withUpstream(() => new Response("ok"), async ({ url, received }) => {
    const sink = createForwardSink({ url });
    const request = new Request("https://shop.example/v1/events", { method: "POST", headers: headersOf(), body: "{}" });
    const answer = await createIngest({ keys: KEYS, sink })(request);
    await sink.close();

    assertEquals([answer.status, received.length], [400, 0]);
  });
});

Deno.test("createForwardSink() refuses a key and an origin that no header can hold", () => {
  const url = "https://ingest.example/v1/events";

  assertThrows(() => createForwardSink({ url, apiKey: "pk_1\npk_2" }), TypeError, "apiKey must hold only characters");
  assertThrows(() => createForwardSink({ url, origin: "https://käse.例" }), TypeError, "origin must hold only");
});
