import { assertEquals } from "@std/assert";
import { createIngest, type Ingest, type ReceivedBatch } from "../../../src/ingest/mod.ts";
import { findForbiddenName } from "../../../src/ingest/contract/aggregate_body.ts";
import { assertRefused, assertStored, setUp } from "../answers.ts";
import { AGGREGATE, EVENT, FULL, KEY, ORIGIN, PAGEVIEW, post } from "../fixtures.ts";

/** Puts JSON text in front of the fields of an object. */
function before(text: string, source: object): string {
  return `{${text},${JSON.stringify(source).slice(1)}`;
}

/** An ingest that keeps what its sink is given. */
function createProbe(): { readonly ingest: Ingest; readonly batches: ReceivedBatch[] } {
  const batches: ReceivedBatch[] = [];
  const ingest = createIngest({
    keys: [{ apiKey: KEY, origins: [ORIGIN] }],
    sink: {
      store: (batch) => {
        batches.push(batch);
        return Promise.resolve({ accepted: batch.events.length, duplicates: 0 });
      },
      close: () => Promise.resolve(),
    },
  });
  return { ingest, batches };
}

Deno.test("createIngest() refuses an aggregate with an identity that a repeated name hides", async () => {
  const { ingest, batches } = createProbe();
  const named = [{ ...PAGEVIEW, identity: { userId: "ada" } }];
  const error = { code: "malformed", message: "identity must not be in an aggregate body" };

  await assertRefused(await ingest(post(before(`"events":${JSON.stringify(named)}`, AGGREGATE))), 400, error);
  await assertRefused(await ingest(post(before(`"x":{"\\u0069dentity" :1},"x":1`, AGGREGATE))), 400, error);

  assertEquals(batches, []);
});

Deno.test("createIngest() refuses an aggregate with an identity in __proto__, at any depth", async () => {
  const { ingest, batches } = createProbe();
  const at = (path: string) => ({ code: "malformed", message: `${path} must not be in an aggregate body` });
  const pageview = before(`"__proto__":{"userId":"ada"}`, PAGEVIEW);
  const deep = JSON.stringify({ ...AGGREGATE, events: "HERE" }).replace('"HERE"', `[${pageview}]`);

  await assertRefused(
    await ingest(post(before(`"__proto__":{"x":[{"userId":"ada"}]}`, AGGREGATE))),
    400,
    at("*.*[0].userId"),
  );
  await assertRefused(await ingest(post(deep)), 400, at("events[0].*.userId"));

  assertEquals(batches, []);
});

Deno.test("createIngest() hands on of an aggregate what it has checked, and nothing else", async () => {
  const { ingest, batches } = createProbe();
  const secret = [{ ...PAGEVIEW, context: { pageUrl: "https://shop.example/?user=ada" } }];
  const extra = { ...AGGREGATE, ip: "203.0.113.9", events: [{ ...PAGEVIEW, language: "de" }] };

  await assertStored(await ingest(post(before(`"events":${JSON.stringify(secret)}`, AGGREGATE))), 1, 0);
  await assertStored(await ingest(post(before(`"__proto__":{"email":"ada@example.com"}`, AGGREGATE))), 1, 0);
  await assertStored(await ingest(post(extra)), 1, 0);

  const expected = { ...PAGEVIEW, collection: "aggregate" as const, place: 0 };
  const events = batches.flatMap((batch) => batch.events.map(({ receivedAt: _, ...event }) => event));
  assertEquals(events, [expected, expected, expected]);
  assertEquals(batches.filter((batch) => /ada|203|"de"|__proto__/.test(JSON.stringify(batch))), []);
});

Deno.test("createIngest() checks and stores the last of a full body's repeated fields", async () => {
  const { ingest, sink } = setUp();
  const twice = before(`"events":[{"id":"first"}],"identity":7`, FULL);
  const wrong = `${JSON.stringify(FULL).slice(0, -1)},"events":7}`;

  await assertStored(await ingest(post(twice)), 1, 0);
  await assertRefused(await ingest(post(wrong)), 400, { code: "malformed", message: "events must be an array" });

  assertEquals((await sink.events()).map(({ id, identity }) => [id, identity]), [[EVENT.id, EVENT.identity]]);
});

Deno.test("createIngest() takes no aggregate for a full body because it says so twice", async () => {
  const { ingest } = createProbe();
  const error = { code: "malformed", message: 'collection must be "aggregate"' };

  await assertRefused(await ingest(post(before(`"collection":"aggregate","collection":null`, FULL))), 400, error);
});

Deno.test("findForbiddenName() knows names from values, however they are written", () => {
  assertEquals(findForbiddenName('{"a":"identity","b":["userId"],"c":"\\"traits\\":1"}'), undefined);
  assertEquals(findForbiddenName('{"\\"identity\\":":1,"Identity":1,"identity ":1}'), undefined);
  assertEquals(findForbiddenName('{"a\\\\":"\\\\","sessionId"\n\t :1}'), "sessionId");
  assertEquals(findForbiddenName('{"prop\\u0065rties":1}'), "properties");
  const written = [..."anonymousId"].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join("");
  assertEquals(findForbiddenName(`{"${written}":1}`), "anonymousId");
  assertEquals(findForbiddenName('{"\\\\u0069dentity":1,"a":"\\"","b":"\\\\\\"userId","c":1}'), undefined);
  assertEquals(findForbiddenName('{"\\n0069dentity":1,"\\u0069":1,"\\u0069dentit":1,"\\u0069dentity2":1}'), undefined);
  assertEquals(findForbiddenName('["identity","traits"]'), undefined);
  assertEquals(findForbiddenName(`{"a":"${"\\\\".repeat(500_000)}","anonymousId":1}`), "anonymousId");
});
