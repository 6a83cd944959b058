import { assert, assertEquals, assertThrows } from "@std/assert";
import { createIngest, createMemorySink } from "../../src/ingest/mod.ts";
import { assertReadable, assertRefused, assertStored, setUp } from "./answers.ts";
import { createFailingSink, FULL, KEY, ORIGIN, post } from "./fixtures.ts";
import { watchRejections } from "./watch_rejections.ts";

Deno.test("createIngest() answers 429 with Retry-After while a key is throttled", async () => {
  const asked: string[] = [];
  const waitsMs = [1, 2500, Infinity, 0];
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

  const third = await ingest(post(FULL));

  assertEquals([first, second, third].map(({ headers }) => headers.get("Retry-After")), ["1", "3", "3600"]);
  await assertRefused(first, 429, error);
  await assertRefused(second, 429, error);
  await assertStored(await ingest(post(FULL)), 1, 0);
  assertEquals(asked, [KEY, KEY, KEY, KEY]);
});

Deno.test("createIngest() answers 503 with Retry-After when the sink fails, and takes the events later", async () => {
  const errors: unknown[] = [];
  const full = new Error("the disk is full");
  const sinks = [createFailingSink(full), createMemorySink()];
  const ingest = createIngest({
    keys: [{ apiKey: KEY, origins: [ORIGIN] }],
    sink: {
      store: (batch) => sinks.shift()?.store(batch) ?? Promise.reject(),
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

Deno.test("createIngest() outlives listeners whose promise rejects", async () => {
  const rejections = watchRejections();
  const reject = () => Promise.reject(new Error("broken feed"));
  const thenable = { then: (_: unknown, fail: (error: Error) => void) => fail(new Error("broken feed")) };
  const listeners = { onEvents: reject, onOutcome: () => thenable, onError: reject };
  const keys = [{ apiKey: KEY, origins: [ORIGIN] }];

  const stored = await createIngest({ keys, sink: createMemorySink(), ...listeners })(post(FULL));
  const failed = await createIngest({ keys, sink: createFailingSink(undefined), ...listeners })(post(FULL));

  assertEquals([stored.status, failed.status, await rejections.stop()], [202, 503, []]);
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
  assertThrows(create("ключ", []), TypeError, "keys[0].apiKey must hold only characters that a header can");
  assertThrows(create(KEY, []), TypeError, 'keys[0].origins must name at least one origin, or be "any"');
  assertThrows(create(KEY, [ORIGIN, "shop"]), TypeError, "keys[0].origins[1] must be an origin such as");
  const twice = { apiKey: KEY, origins: "any" as const };
  assertThrows(() => createIngest({ keys: [twice, twice], sink }), TypeError, "keys[1].apiKey is listed twice");
});

Deno.test("createIngest() refuses a path that no request could have", async () => {
  const keys = [{ apiKey: KEY, origins: [ORIGIN] }];
  const create = (path: string) => createIngest({ keys, sink: createMemorySink(), path });
  const message = 'path must be one such as "/v1/events", as a URL has it';

  for (const path of ["", "v1/events", "/events/é", "/a b", "/a/../b", "/events?x", "/events#x", ":80/events"]) {
    assertThrows(() => create(path), TypeError, message);
  }
  for (const path of ["/", "//events", "/events/%C3%A9"]) {
    const url = `https://ingest.vendor.example${path}`;
    assertEquals((await create(path)(new Request(url, { method: "OPTIONS" }))).status, 204, path);
  }
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
