import { assertEquals, assertLessOrEqual } from "@std/assert";
import { buildBody, expand } from "../src/batch.ts";
import { at, fullBody, namesOf, only, startVisit } from "./support/visit.ts";

const SENT_AT = "2026-01-01T00:00:00.000Z";
const MAX_BODY_BYTES = 60_000;

Deno.test("buildBody() takes the envelope from the first event", () => {
  const body = buildBody({
    id: "b-1",
    isAggregate: false,
    events: [
      '{"id":"e-1","name":"a"\t,"context":{"sdkName":"x"},"sessionId":"s-1","identity":{"userId":null}}',
      '{"id":"e-2","name":"b"\t,"context":{"sdkName":"y"},"sessionId":"s-2","identity":{"userId":"u"}}',
    ],
  }, SENT_AT);

  const first = { sessionId: "s-1", identity: { userId: null }, context: { sdkName: "x" } };
  const second = { sessionId: "s-2", identity: { userId: "u" }, context: { sdkName: "y" } };
  assertEquals(JSON.parse(body), {
    type: "event",
    batchId: "b-1",
    sentAt: SENT_AT,
    ...first,
    events: [{ id: "e-1", name: "a", ...first }, { id: "e-2", name: "b", ...second }],
  });
});

Deno.test("buildBody() makes a body of aggregate pageviews", () => {
  const event = { id: "e-1", name: "$pageview", timestamp: SENT_AT, context: { sdkName: "x" } };

  const text = `{"id":"e-1","name":"$pageview","timestamp":"${SENT_AT}"\t,"context":{"sdkName":"x"}}`;
  const body = buildBody({ id: "b-1", isAggregate: true, events: [text] }, SENT_AT);

  assertEquals(JSON.parse(body), {
    type: "event",
    collection: "aggregate",
    batchId: "b-1",
    sentAt: SENT_AT,
    events: [event],
  });
});

Deno.test("buildBody() joins the texts of the events as they are", () => {
  const own = '{"id":"e-1","properties":{"n":1.0}';
  const tail = ',"context":{}, "sessionId":"s","identity":{}}';

  const body = buildBody({ id: "b-1", isAggregate: false, events: [`${own}\t${tail}`, own] }, SENT_AT);

  assertEquals(body.endsWith(`"events":[${own}${tail},${own}${tail}]}`), true);
});

Deno.test("expand() ends each text as the one before, until a text says otherwise", () => {
  assertEquals(expand(["{1\t,a}", "{2", "{3\t,b}", "{4", "{5\t,a}"]), ["{1,a}", "{2,a}", "{3,b}", "{4,b}", "{5,a}"]);
});

Deno.test("a batch holds at most the effective batch size", async () => {
  const { page, client, accepted } = startVisit({ maxBatchSize: 4 });

  for (let i = 0; i < 10; i++) client.step("a");
  await accepted();

  assertEquals(page.requests.map(({ body }) => body.events.length), [4, 4, 2]);
  client.close();
});

Deno.test("a batch holds at most 60,000 bytes of body", async () => {
  const { page, client, accepted } = startVisit({ maxBatchSize: 100 });

  for (let i = 0; i < 100; i++) client.step("a", { text: "x".repeat(1500) });
  const events = await accepted();

  assertEquals(events.length, 100);
  for (const { text } of page.requests) assertLessOrEqual(bytesOf(text), MAX_BODY_BYTES);
  assertEquals(bytesOf(at(page.requests, 0).text) > 55_000, true);
  client.close();
});

Deno.test("a batch counts its body in UTF-8 bytes", async () => {
  const { page, client, accepted } = startVisit({ maxBatchSize: 100 }, { title: "茶".repeat(500) });
  client.identify("利用者", { note: "茶".repeat(1000) });

  for (let i = 0; i < 40; i++) client.step("茶", { text: "茶".repeat(1000) });
  const events = await accepted();

  assertEquals(events.length, 40);
  for (const { text } of page.requests) assertLessOrEqual(bytesOf(text), MAX_BODY_BYTES);
  client.close();
});

Deno.test("a batch never exceeds 60,000 bytes, whatever the size of its events", async () => {
  const { page, client, accepted } = startVisit({ maxBatchSize: 100 });

  for (let i = 0; i < 300; i++) client.step("a", { text: "x".repeat((i * 997) % 20_000) });
  const events = await accepted();

  assertEquals(events.length, 300);
  const sizes = page.requests.filter(({ body }) => body.events.length > 1).map(({ text }) => bytesOf(text));
  assertEquals(sizes.filter((size) => size > MAX_BODY_BYTES), []);
  client.close();
});

Deno.test("an event that alone makes a larger body is a batch by itself", async () => {
  const { page, client, accepted } = startVisit();
  client.identify("user-1", { text: "x".repeat(8000) });
  const long = `https://shop.example/?q=${"x".repeat(8000)}`;
  page.pushState(long);
  const properties = { text: "x".repeat(32_000) };

  client.step("small");
  client.step("large", properties);
  client.step("small");

  assertEquals(namesOf(await accepted()), ["small", "large", "small"]);
  const large = page.requests.filter(({ text }) => bytesOf(text) > MAX_BODY_BYTES);
  assertEquals(large.map(({ body }) => body.events.length), [1]);
  client.close();
});

Deno.test("events of 60,000 bytes are sent at once, below that they wait for the timer", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 100 });
  const properties = { text: "x".repeat(20_000) };

  client.step("a", properties);
  client.step("b", properties);
  await browser.settle();
  const before = page.requests.length;
  client.step("c", properties);
  await browser.settle();

  assertEquals([before, page.requests.length], [0, 1]);
  client.close();
});

Deno.test("an event that alone makes a larger body is sent at once", async () => {
  const { browser, page, client } = startVisit({}, { url: `https://shop.example/?q=${"x".repeat(8000)}` });
  client.identify("user-1", { text: "x".repeat(8000) });

  client.step("large", { text: "x".repeat(32_000) });
  await browser.settle();

  assertEquals(bytesOf(only(page.requests).text) > MAX_BODY_BYTES, true);
  client.close();
});

Deno.test("full and aggregate events never share a batch, order is kept", async () => {
  const { browser, page, client, accepted } = startVisit({ trackPageviews: "auto", consent: "pending" });
  browser.goOffline();
  page.pushState("/cart");
  page.pushState("/thanks");
  await browser.settle();
  client.setConsent("granted");
  client.step("a");
  browser.goOnline();

  await accepted();

  const kinds = page.requests.map((
    { body },
  ) => ["collection" in body, body.events.map((event) => "identity" in event)]);
  assertEquals(kinds, [[true, [false, false]], [false, [true, true]]]);
  client.close();
});

Deno.test("sessions and identities mix, the envelope is the first event's", async () => {
  const { page, client, accepted } = startVisit();

  client.identify("user-1", { plan: "pro" });
  client.step("a");
  client.reset();
  client.step("b");
  client.identify("user-2");
  client.step("c");
  await accepted();

  const { sessionId, identity, context, events } = fullBody(only(page.requests));
  const [a] = events;
  assertEquals<unknown>([sessionId, identity, context], [a?.sessionId, a?.identity, a?.context]);
  assertEquals(events.map((event) => event.identity?.userId), ["user-1", null, "user-2"]);
  client.close();
});

Deno.test("an empty queue sends nothing", async () => {
  const { browser, page, client } = startVisit();

  client.flush();
  await browser.advance(60_000);
  page.hide();

  assertEquals(page.requests, []);
  client.close();
});

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
