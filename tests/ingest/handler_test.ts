import { MAX_JSON_DEPTH } from "../../src/client/base/limits.ts";
import { assertEquals } from "@std/assert";
import { createIngest, createMemorySink } from "../../src/ingest/mod.ts";
import { assertRefused, assertStored, setUp } from "./answers.ts";
import {
  AGGREGATE,
  AGGREGATE_CONTEXT,
  CONTEXT,
  EVENT,
  FULL,
  IDENTITY,
  KEY,
  manyEvents,
  OTHER_KEY,
  PAGEVIEW,
  post,
  RECEIVED_AT,
} from "./fixtures.ts";

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
      place: 0,
    },
  ]);
});

Deno.test("createIngest() stores an aggregate pageview without batch, session and identity", async () => {
  const { ingest, sink } = setUp();
  const request = post(AGGREGATE, {
    "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Accept-Language": "de",
    "X-Forwarded-For": "203.0.113.9",
  });

  await assertStored(await ingest(request), 1, 0);

  assertEquals(await sink.events(), [
    {
      id: PAGEVIEW.id,
      name: "$pageview",
      timestamp: "2026-03-01T10:00:00.000Z",
      collection: "aggregate",
      receivedAt: RECEIVED_AT,
      context: AGGREGATE_CONTEXT,
      place: 0,
    },
  ]);
});

Deno.test("createIngest() takes both forms from the page of an application, by its origin", async () => {
  const keys = [{ apiKey: KEY, origins: ["tauri://localhost"] }];
  const ingest = createIngest({ keys, sink: createMemorySink() });
  const context = { ...AGGREGATE_CONTEXT, pageUrl: "tauri://localhost/cart" };
  const bodies = [FULL, { ...AGGREGATE, events: [{ ...PAGEVIEW, context }] }];

  for (const body of bodies) assertEquals((await ingest(post(body, { Origin: "tauri://localhost" }))).status, 202);
  assertEquals((await ingest(post(FULL, { Origin: "capacitor://localhost" }))).status, 403);
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
    { ...EVENT, collection: "full", receivedAt: RECEIVED_AT, batchId: "b-1", place: 0 },
    { ...PAGEVIEW, collection: "aggregate", receivedAt: RECEIVED_AT, place: 0 },
  ]);
});

Deno.test("createIngest() stores the numbers that JavaScript reads, and text as it is", async () => {
  const { ingest, sink } = setUp();
  const body = JSON.stringify({ ...FULL, events: [{ ...EVENT, properties: "?" }] })
    .replace('"?"', '{"number":9007199254740993,"text":"9007199254740993"}');

  await assertStored(await ingest(post(body)), 1, 0);

  const [{ properties } = {}] = await sink.events() as readonly { readonly properties?: unknown }[];
  assertEquals(properties, { number: 9007199254740992, text: "9007199254740993" });
});

Deno.test("createIngest() stores events with the required fields alone", async () => {
  const { ingest, sink } = setUp();
  const bare = { id: "e-9", name: "Bare", timestamp: "2026-03-01T10:00:00Z" };
  const barePageview = { ...bare, id: PAGEVIEW.id, name: "$pageview" };

  await assertStored(await ingest(post({ ...FULL, identity: { userId: null }, events: [bare] })), 1, 0);
  await assertStored(await ingest(post({ ...AGGREGATE, events: [barePageview] })), 1, 0);

  assertEquals(await sink.events(), [
    { ...bare, collection: "full", receivedAt: RECEIVED_AT, batchId: "b-1", place: 0 },
    { ...barePageview, collection: "aggregate", receivedAt: RECEIVED_AT, place: 0 },
  ]);
});

Deno.test("createIngest() stores the place that each event has in its batch", async () => {
  const { ingest, sink } = setUp();
  const again = { ...PAGEVIEW, id: PAGEVIEW.id.replace("0001", "0002") };

  await ingest(post({ ...FULL, events: manyEvents(1) }));
  await ingest(post({ ...FULL, events: manyEvents(3) }));
  await ingest(post({ ...AGGREGATE, events: [PAGEVIEW, again] }));

  assertEquals((await sink.events()).map(({ id, place }) => [id.slice(-3), place]), [
    ...[["m-0", 0], ["m-1", 1], ["m-2", 2], ["001", 0], ["002", 1]],
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

Deno.test("createIngest() takes properties and traits of as many levels as the SDK sends", async () => {
  const { ingest } = setUp();
  const deep = Array.from({ length: MAX_JSON_DEPTH - 1 }).reduce<Record<string, unknown>>((deep) => ({ deep }), {});
  const event = { ...EVENT, properties: deep, identity: { userId: null, traits: deep } };

  await assertStored(await ingest(post({ ...FULL, events: [event] })), 1, 0);
});

Deno.test("createIngest() notes by how much a visitor's clock is wrong, from 5 minutes on, but for aggregates", async () => {
  const offsets = await Promise.all([0, 300_000, 300_005, -3_600_000].map(async (offsetMs) => {
    const { ingest, sink } = setUp();
    const sentAt = new Date(Date.parse(RECEIVED_AT) - offsetMs).toISOString();
    await assertStored(await ingest(post({ ...FULL, sentAt })), 1, 0);
    await assertStored(await ingest(post({ ...AGGREGATE, sentAt })), 1, 0);
    return (await sink.events()).map(({ clockOffsetMs }) => clockOffsetMs);
  }));

  assertEquals(offsets, [[undefined, undefined], [undefined, undefined], [300_005, undefined], [
    -3_600_000,
    undefined,
  ]]);
});

Deno.test("createIngest() stores times with Z that were sent with +00:00", async () => {
  const { ingest, sink } = setUp();
  const [full, aggregate] = ["2026-03-01T10:00:00+00:00", "2026-03-01T10:00:00.123+00:00"];

  await assertStored(await ingest(post({ ...FULL, events: [{ ...EVENT, timestamp: full }], sentAt: full })), 1, 0);
  await assertStored(await ingest(post({ ...AGGREGATE, events: [{ ...PAGEVIEW, timestamp: aggregate }] })), 1, 0);

  const times = (await sink.events()).map(({ timestamp }) => timestamp);
  assertEquals(times, ["2026-03-01T10:00:00Z", "2026-03-01T10:00:00.123Z"]);
});

for (
  const type of [
    "application/json; charset=utf-8",
    'Application/JSON;charset="UTF-8"',
    "application/json;charset=utf8",
    "application/json; odata=verbose; charset=utf-8",
    "application/json ; charset=iso-8859-1",
    "application/json;",
  ]
) {
  Deno.test(`createIngest() takes JSON announced as ${type}`, async () => {
    const { ingest } = setUp();

    await assertStored(await ingest(post(FULL, { "Content-Type": type })), 1, 0);
  });
}

Deno.test("createIngest() reads JSON as UTF-8, whatever its Content-Type says", async () => {
  const { ingest } = setUp();
  const latin = Uint8Array.from(JSON.stringify({ ...FULL, batchId: "é" }), (character) => character.charCodeAt(0));
  const error = { code: "malformed", message: "body must be UTF-8" };

  const answer = await ingest(post(latin, { "Content-Type": "application/json; charset=iso-8859-1" }));

  await assertRefused(answer, 400, error);
});

Deno.test("createIngest() keeps the event ids of two keys apart", async () => {
  const { ingest } = setUp();

  await assertStored(await ingest(post(FULL)), 1, 0);
  await assertStored(await ingest(post(FULL, { "X-API-Key": OTHER_KEY })), 1, 0);
});
