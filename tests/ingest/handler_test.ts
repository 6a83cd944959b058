import { assert, assertEquals, assertThrows } from "@std/assert";
import { createIngest, createMemorySink, type Ingest, type MemorySink } from "../../src/ingest/mod.ts";
import {
  AGGREGATE,
  AGGREGATE_CONTEXT,
  CONTEXT,
  createFailingSink,
  EVENT,
  FULL,
  headersOf,
  IDENTITY,
  KEY,
  manyEvents,
  NOW_MS,
  ORIGIN,
  OTHER_KEY,
  PAGEVIEW,
  post,
  RECEIVED_AT,
  URL_OF_INGEST,
} from "./fixtures.ts";

function setUp(): { ingest: Ingest; sink: MemorySink } {
  const sink = createMemorySink();
  const keys = [{ apiKey: KEY, origins: [ORIGIN] }, { apiKey: OTHER_KEY, origins: "any" as const }];
  return { ingest: createIngest({ keys, sink, now: () => NOW_MS }), sink };
}

function assertReadable(answer: Response): void {
  assertEquals(answer.headers.get("Access-Control-Allow-Origin"), "*");
  assertEquals(answer.headers.get("Access-Control-Expose-Headers"), "Retry-After");
}

async function assertRefused(answer: Response, status: number, error: { code: string; message: string }) {
  assertReadable(answer);
  assertEquals(answer.status, status);
  assertEquals(answer.headers.get("Content-Type"), "application/json");
  assertEquals(await answer.json(), { error });
}

async function assertStored(answer: Response, accepted: number, duplicates: number) {
  assertReadable(answer);
  assertEquals(answer.status, 202);
  assertEquals(await answer.json(), { accepted, duplicates });
}

Deno.test("createIngest() stores a full event with everything the specification knows", async () => {
  const { ingest, sink } = setUp();

  const answer = await ingest(post(FULL));

  assertEquals(answer.headers.get("Vary"), "Origin");
  await assertStored(answer, 1, 0);
  assertEquals(await sink.events(), [
    {
      id: "e-1",
      name: "Checkout started",
      timestamp: "2026-03-01T10:00:00.000Z",
      collection: "full",
      receivedAt: RECEIVED_AT,
      properties: { total: 12.5, items: [{ sku: "s-1" }] },
      sessionId: "s-1",
      identity: IDENTITY,
      context: CONTEXT,
      batchId: "b-1",
    },
  ]);
});

Deno.test("createIngest() stores an aggregate pageview without batch, session and identity", async () => {
  const { ingest, sink } = setUp();
  const request = post(AGGREGATE, {
    "User-Agent": "Browser/1",
    "Accept-Language": "de",
    "X-Forwarded-For": "203.0.113.9",
  });

  await assertStored(await ingest(request), 1, 0);

  assertEquals(await sink.events(), [
    {
      id: "p-1",
      name: "$pageview",
      timestamp: "2026-03-01T10:00:00.000Z",
      collection: "aggregate",
      receivedAt: RECEIVED_AT,
      context: AGGREGATE_CONTEXT,
    },
  ]);
});

Deno.test("createIngest() stores no field that the specification doesn't know", async () => {
  const { ingest, sink } = setUp();
  const event = {
    ...EVENT,
    ip: "203.0.113.9",
    identity: { ...IDENTITY, email: "a@b.example" },
    context: { ...CONTEXT, language: "de" },
  };

  await assertStored(await ingest(post({ ...FULL, extra: 1, events: [event] })), 1, 0);
  await assertStored(await ingest(post({ ...AGGREGATE, extra: 1, events: [{ ...PAGEVIEW, language: "de" }] })), 1, 0);

  assertEquals(await sink.events(), [
    { ...EVENT, collection: "full", receivedAt: RECEIVED_AT, batchId: "b-1" },
    { ...PAGEVIEW, collection: "aggregate", receivedAt: RECEIVED_AT },
  ]);
});

Deno.test("createIngest() stores events with the required fields alone", async () => {
  const { ingest, sink } = setUp();
  const bare = { id: "e-9", name: "Bare", timestamp: "2026-03-01T10:00:00Z" };
  const barePageview = { ...bare, id: "p-9", name: "$pageview" };

  await assertStored(await ingest(post({ ...FULL, identity: { userId: null }, events: [bare] })), 1, 0);
  await assertStored(await ingest(post({ ...AGGREGATE, events: [barePageview] })), 1, 0);

  assertEquals(await sink.events(), [
    { ...bare, collection: "full", receivedAt: RECEIVED_AT, batchId: "b-1" },
    { ...barePageview, collection: "aggregate", receivedAt: RECEIVED_AT },
  ]);
});

Deno.test("createIngest() drops __proto__ keys at any depth", async () => {
  const { ingest, sink } = setUp();
  const properties = '{"__proto__":{"isAdmin":true},"deep":[{"__proto__":1,"kept":2}]}';
  const body = JSON.stringify({ ...FULL, events: [{ ...EVENT, properties: "HERE" }] }).replace('"HERE"', properties);

  await assertStored(await ingest(post(body)), 1, 0);

  const [stored] = await sink.events();
  assertEquals(JSON.stringify(stored?.properties), '{"deep":[{"kept":2}]}');
});

Deno.test('createIngest() takes the type "identity" and an empty batch', async () => {
  const { ingest, sink } = setUp();

  await assertStored(await ingest(post({ ...FULL, type: "identity", events: [] })), 0, 0);
  await assertStored(await ingest(post({ ...FULL, type: "identity" })), 1, 0);
  await assertStored(await ingest(post({ ...AGGREGATE, events: [] })), 0, 0);

  assertEquals((await sink.events()).map(({ id }) => id), ["e-1"]);
});

Deno.test("createIngest() doesn't compare the version of the header with that of the body", async () => {
  const { ingest } = setUp();

  await assertStored(await ingest(post(FULL, { "X-Vendor-SDK-Version": "9.9.9" })), 1, 0);
});

Deno.test("createIngest() takes a Content-Type with the charset UTF-8", async () => {
  const { ingest } = setUp();

  await assertStored(await ingest(post(FULL, { "Content-Type": "application/json; charset=utf-8" })), 1, 0);
  await assertStored(await ingest(post(FULL, { "Content-Type": 'Application/JSON;charset="UTF-8"' })), 0, 1);
});

Deno.test("createIngest() counts a batch that is sent again as duplicates", async () => {
  const { ingest, sink } = setUp();
  const batch = { ...FULL, events: manyEvents(3) };

  await assertStored(await ingest(post(batch)), 3, 0);
  await assertStored(await ingest(post(batch)), 0, 3);

  assertEquals((await sink.events()).length, 3);
});

Deno.test("createIngest() takes an unseen event under a known batch id", async () => {
  const { ingest, sink } = setUp();
  await ingest(post(FULL));

  await assertStored(await ingest(post({ ...FULL, events: [EVENT, { ...EVENT, id: "e-2" }] })), 1, 1);

  assertEquals((await sink.events()).map(({ id }) => id), ["e-1", "e-2"]);
});

Deno.test("createIngest() knows an event again in another batch and in the other form", async () => {
  const { ingest } = setUp();
  await ingest(post(FULL));

  await assertStored(await ingest(post({ ...FULL, batchId: "b-9" })), 0, 1);
  await assertStored(await ingest(post({ ...AGGREGATE, events: [{ ...PAGEVIEW, id: "e-1" }] })), 0, 1);
});

Deno.test("createIngest() takes an event once that a request carries twice", async () => {
  const { ingest, sink } = setUp();

  await assertStored(await ingest(post({ ...FULL, events: [EVENT, { ...EVENT, name: "Second" }] })), 1, 1);

  assertEquals((await sink.events()).map(({ name }) => name), ["Checkout started"]);
});

Deno.test("createIngest() keeps the event ids of two keys apart", async () => {
  const { ingest } = setUp();

  await assertStored(await ingest(post(FULL)), 1, 0);
  await assertStored(await ingest(post(FULL, { "X-API-Key": OTHER_KEY })), 1, 0);
});

Deno.test("createIngest() answers a preflight from any origin, to be kept two hours", async () => {
  const { ingest } = setUp();
  const headers = {
    "Origin": "https://elsewhere.example",
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "content-type,x-api-key,x-vendor-sdk-version",
  };

  const answer = await ingest(new Request(URL_OF_INGEST, { method: "OPTIONS", headers }));

  assertReadable(answer);
  assertEquals(answer.status, 204);
  assertEquals(answer.headers.get("Access-Control-Max-Age"), "7200");
  assertEquals(answer.headers.get("Access-Control-Allow-Methods"), "POST");
  assertEquals(answer.headers.get("Access-Control-Allow-Headers"), "content-type, x-api-key, x-vendor-sdk-version");
  assertEquals(answer.headers.get("Vary"), null);
  assertEquals(answer.body, null);
});

Deno.test("createIngest() answers 404 to another path, preflights included", async () => {
  const { ingest } = setUp();
  const error = { code: "not_found", message: "there is nothing at this path" };

  await assertRefused(await ingest(new Request("https://ingest.vendor.example/")), 404, error);
  await assertRefused(await ingest(new Request(`${URL_OF_INGEST}/`, { method: "POST", body: "{}" })), 404, error);
  await assertRefused(
    await ingest(new Request("https://ingest.vendor.example/v2/events", { method: "OPTIONS" })),
    404,
    error,
  );
});

Deno.test("createIngest() listens at the path it is given", async () => {
  const ingest = createIngest({ keys: [{ apiKey: KEY, origins: "any" }], sink: createMemorySink(), path: "/e" });

  const taken = await ingest(
    new Request("https://shop.example/e?x=1", {
      method: "POST",
      headers: headersOf(),
      body: JSON.stringify(FULL),
    }),
  );
  const refused = await ingest(post(FULL));

  await assertStored(taken, 1, 0);
  assertEquals(refused.status, 404);
});

Deno.test("createIngest() answers 405 to another method and names the right ones", async () => {
  const { ingest } = setUp();
  const error = { code: "method_not_allowed", message: "events are sent with POST" };
  const put = new Request(URL_OF_INGEST, { method: "PUT", headers: headersOf(), body: JSON.stringify(FULL) });

  const answer = await ingest(new Request(URL_OF_INGEST));

  assertEquals(answer.headers.get("Allow"), "POST, OPTIONS");
  await assertRefused(answer, 405, error);
  await assertRefused(await ingest(put), 405, error);
  await assertRefused(await ingest(new Request(URL_OF_INGEST, { method: "DELETE" })), 405, error);
  assertEquals((await ingest(new Request(URL_OF_INGEST, { method: "HEAD" }))).status, 405);
});

Deno.test("createIngest() answers 401 without a known key", async () => {
  const { ingest, sink } = setUp();
  const error = { code: "unknown_key", message: "header X-API-Key must carry a known key" };

  await assertRefused(await ingest(post(FULL, { "X-API-Key": null })), 401, error);
  await assertRefused(await ingest(post(FULL, { "X-API-Key": "" })), 401, error);
  await assertRefused(await ingest(post(FULL, { "X-API-Key": "pk_test_1x" })), 401, error);
  await assertRefused(await ingest(post(FULL, { "X-API-Key": "__proto__" })), 401, error);

  assertEquals(await sink.events(), []);
});

Deno.test("createIngest() answers 403 to an origin that isn't registered for the key", async () => {
  const { ingest, sink } = setUp();
  const error = { code: "origin_not_registered", message: "the origin isn't registered for this key" };

  await assertRefused(await ingest(post(FULL, { "Origin": "https://evil.example" })), 403, error);
  await assertRefused(await ingest(post(FULL, { "Origin": "http://shop.example" })), 403, error);
  await assertRefused(await ingest(post(FULL, { "Origin": "https://shop.example:8443" })), 403, error);
  await assertRefused(await ingest(post(FULL, { "Origin": "null" })), 403, error);
  await assertRefused(await ingest(post(FULL, { "Origin": null })), 403, error);

  assertEquals(await sink.events(), []);
});

Deno.test('createIngest() takes any origin, or none, for a key of "any" origins', async () => {
  const { ingest } = setUp();
  const key = { "X-API-Key": OTHER_KEY };

  await assertStored(await ingest(post(FULL, { ...key, "Origin": "https://evil.example" })), 1, 0);
  await assertStored(await ingest(post(FULL, { ...key, "Origin": null })), 0, 1);
});

Deno.test("createIngest() answers 415 to anything but plain UTF-8 JSON", async () => {
  const { ingest } = setUp();
  const type = { code: "unsupported_media_type", message: "header Content-Type must be application/json" };
  const encoding = { code: "unsupported_media_type", message: "the body must not be compressed" };

  await assertRefused(await ingest(post(FULL, { "Content-Type": null })), 415, type);
  await assertRefused(await ingest(post(FULL, { "Content-Type": "text/plain" })), 415, type);
  await assertRefused(await ingest(post(FULL, { "Content-Type": "application/json; charset=latin1" })), 415, type);
  await assertRefused(await ingest(post(FULL, { "Content-Type": "application/jsonp" })), 415, type);
  await assertRefused(await ingest(post(FULL, { "Content-Encoding": "gzip" })), 415, encoding);
});

Deno.test("createIngest() answers 400 without an SDK version", async () => {
  const { ingest } = setUp();
  const error = { code: "malformed", message: "header X-Vendor-SDK-Version is required" };

  await assertRefused(await ingest(post(FULL, { "X-Vendor-SDK-Version": null })), 400, error);
  await assertRefused(await ingest(post(FULL, { "X-Vendor-SDK-Version": " " })), 400, error);
});

Deno.test("createIngest() takes 100 events and answers 413 to 101", async () => {
  const { ingest, sink } = setUp();
  const error = { code: "too_many_events", message: "events must be at most 100" };
  const tooMany = Array.from({ length: 101 }, (_, index) => ({ ...PAGEVIEW, id: `p-${index}` }));

  await assertStored(await ingest(post({ ...FULL, events: manyEvents(100) })), 100, 0);
  await assertRefused(await ingest(post({ ...FULL, events: manyEvents(101, "n") })), 413, error);
  await assertRefused(await ingest(post({ ...AGGREGATE, events: tooMany })), 413, error);

  assertEquals((await sink.events()).length, 100);
});

Deno.test("createIngest() answers 429 with Retry-After while a key is throttled", async () => {
  const asked: string[] = [];
  const waitsMs = [1, 2500, 0];
  const ingest = createIngest({
    keys: [{ apiKey: KEY, origins: [ORIGIN] }],
    sink: createMemorySink(),
    throttle: (apiKey) => {
      asked.push(apiKey);
      return waitsMs.shift() ?? 0;
    },
  });
  const error = { code: "rate_limited", message: "too many requests with this key, try again later" };

  const first = await ingest(post(FULL));
  const second = await ingest(post(FULL));

  assertEquals([first.headers.get("Retry-After"), second.headers.get("Retry-After")], ["1", "3"]);
  await assertRefused(first, 429, error);
  await assertRefused(second, 429, error);
  await assertStored(await ingest(post(FULL)), 1, 0);
  assertEquals(asked, [KEY, KEY, KEY]);
});

Deno.test("createIngest() answers 503 with Retry-After when the sink fails, and takes the events later", async () => {
  const errors: unknown[] = [];
  const full = new Error("the disk is full");
  const sinks = [createFailingSink(full), createMemorySink()];
  const ingest = createIngest({
    keys: [{ apiKey: KEY, origins: [ORIGIN] }],
    sink: {
      store: (apiKey, events) => sinks.shift()?.store(apiKey, events) ?? Promise.reject(),
      close: () => Promise.resolve(),
    },
    onError: (error) => errors.push(error),
  });

  const failed = await ingest(post(FULL));

  assertEquals(failed.headers.get("Retry-After"), "5");
  await assertRefused(failed, 503, {
    code: "unavailable",
    message: "the events couldn't be stored, try again later",
  });
  assertEquals(errors, [full]);
  await assertStored(await ingest(post(FULL)), 1, 0);
});

Deno.test("createIngest() answers 503, never 500, whatever its collaborators throw", async () => {
  const keys = [{ apiKey: KEY, origins: [ORIGIN] }];
  const sink = createMemorySink();
  const fail = () => {
    throw new Error("broken");
  };

  const answers = await Promise.all([
    createIngest({ keys, sink: { store: fail, close: fail } })(post(FULL)),
    createIngest({ keys, sink, throttle: fail })(post(FULL)),
    createIngest({ keys, sink, now: fail })(post(FULL)),
    createIngest({ keys, sink: createFailingSink(undefined), onError: fail, onOutcome: fail })(post(FULL)),
  ]);

  assertEquals(answers.map(({ status }) => status), [503, 503, 503, 503]);
  assertEquals(answers.map(({ headers }) => headers.get("Retry-After")), ["5", "5", "5", "5"]);
  answers.forEach(assertReadable);
});

Deno.test("createIngest() answers 202 when the listener throws", async () => {
  const sink = createMemorySink();
  const onOutcome = () => {
    throw new Error("broken feed");
  };
  const ingest = createIngest({ keys: [{ apiKey: KEY, origins: [ORIGIN] }], sink, onOutcome });

  await assertStored(await ingest(post(FULL)), 1, 0);
});

Deno.test("createIngest() answers 503 when a framework has read the body before", async () => {
  const { ingest } = setUp();
  const request = post(FULL);
  await request.text();

  assertEquals((await ingest(request)).status, 503);
});

Deno.test("createIngest() refuses keys that could never match a request, without naming them", () => {
  const sink = createMemorySink();
  const create = (apiKey: string, origins: readonly string[]) => () =>
    createIngest({ keys: [{ apiKey, origins }], sink });

  assertThrows(() => createIngest({ keys: [], sink }), TypeError, "keys must name at least one key");
  assertThrows(create("", []), TypeError, "keys[0].apiKey must be a non-empty string without spaces");
  assertThrows(create(" k", []), TypeError, "keys[0].apiKey must be a non-empty string without spaces");
  const message = 'keys[0].origins[1] must be an origin such as "https://shop.example"';
  assertThrows(create(KEY, [ORIGIN, "https://shop.example/"]), TypeError, message);
  assertThrows(create(KEY, [ORIGIN, "shop.example"]), TypeError, message);
  assertThrows(create(KEY, [ORIGIN, "*"]), TypeError, message);
  const twice = { apiKey: KEY, origins: "any" as const };
  assertThrows(() => createIngest({ keys: [twice, twice], sink }), TypeError, "keys[1].apiKey is listed twice");
});

Deno.test('createIngest() takes opaque origins for a key that registers "null"', async () => {
  const ingest = createIngest({ keys: [{ apiKey: KEY, origins: ["null"] }], sink: createMemorySink() });

  await assertStored(await ingest(post(FULL, { "Origin": "null" })), 1, 0);
  assertEquals((await ingest(post(FULL, { "Origin": null }))).status, 403);
});

Deno.test("createIngest() stamps events with the clock when it is given none", async () => {
  const sink = createMemorySink();
  const before = new Date().toISOString();

  await createIngest({ keys: [{ apiKey: KEY, origins: [ORIGIN] }], sink })(post(FULL));

  const [stored] = await sink.events();
  assert(stored !== undefined && stored.receivedAt >= before && stored.receivedAt <= new Date().toISOString());
});
