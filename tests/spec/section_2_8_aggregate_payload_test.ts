import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { MIN_BACKOFF_MS } from "../../src/client/base/limits.ts";
import { aggregateBody, at, ISO_UTC, only, startVisit, UUID_V4 } from "../support/visit.ts";

const AGGREGATE = { trackPageviews: "auto", consent: "pending" } as const;

Deno.test("SPEC 2.8 AggregatePageviewPayload: holds exactly the five fields", async () => {
  const { page, accepted } = startVisit(AGGREGATE);

  await accepted();

  assertEquals(Object.keys(only(page.requests).body).sort(), ["batchId", "collection", "events", "sentAt", "type"]);
});

Deno.test("SPEC 2.8 type: event", async () => {
  const { page, accepted } = startVisit(AGGREGATE);

  await accepted();

  assertEquals(only(page.requests).body.type, "event");
});

Deno.test("SPEC 2.8 collection: aggregate", async () => {
  const { page, accepted } = startVisit(AGGREGATE);

  await accepted();

  assertEquals(aggregateBody(only(page.requests)).collection, "aggregate");
});

Deno.test("SPEC 2.8 batchId: a batch identifier of its own", async () => {
  const { page, accepted } = startVisit(AGGREGATE);

  await accepted();
  page.pushState("/cart");
  await accepted();

  const [first, second] = page.requests.map(({ body }) => body.batchId);
  assertMatch(first ?? "", UUID_V4);
  assertNotEquals(first, second);
});

Deno.test("SPEC 2.8 events: hold only id, name, timestamp and context", async () => {
  const { page, accepted } = startVisit(AGGREGATE, { title: "Teas" });

  page.pushState("/cart");

  const fields = (await accepted()).map((event) => Object.keys(event).sort());
  assertEquals(fields, [["context", "id", "name", "timestamp"], ["context", "id", "name", "timestamp"]]);
});

Deno.test("SPEC 2.8 events: every event has the name $pageview", async () => {
  const { client, page, accepted } = startVisit(AGGREGATE);

  client.step("signup");
  client.page();
  page.pushState("/cart");
  client.step("signup");

  assertEquals((await accepted()).map(({ name }) => name), ["$pageview", "$pageview"]);
});

Deno.test("SPEC 2.8 events: id is a UUID, timestamp the ISO 8601 UTC time of the navigation", async () => {
  const { browser, page } = startVisit(AGGREGATE);

  await browser.advance(1000);
  page.pushState("/cart");
  await browser.advance(5000);

  const { id, timestamp } = at(page.events, 1);
  assertMatch(id, UUID_V4);
  assertEquals(timestamp, "2026-01-01T00:00:01.000Z");
});

Deno.test("SPEC 2.8 sentAt: ISO 8601 UTC, of the attempt", async () => {
  const { browser, page } = startVisit(AGGREGATE);

  await browser.advance(5000);

  const { sentAt } = only(page.requests).body;
  assertMatch(sentAt, ISO_UTC);
  assertEquals(sentAt, "2026-01-01T00:00:05.000Z");
});

Deno.test("SPEC 2.8 rule 1: no visitor identity and no session ID in the body or its events", async () => {
  const { client, page, accepted } = startVisit(AGGREGATE);

  client.identify("user-1", { plan: "pro" });
  page.pushState("/cart");
  client.reset();
  await accepted();

  const { text } = only(page.requests);
  const words = ["identity", "anonymousId", "userId", "traits", "sessionId", "user-1", "properties"];
  assertEquals(words.filter((word) => text.includes(word)), []);
});

Deno.test("SPEC 2.8 rule 1: not either where an identity was stored by an earlier visit", async () => {
  const first = startVisit();
  first.client.step("a");
  first.page.close();
  await first.browser.settle();
  const { identity, sessionId } = only(first.page.events);

  const { page, accepted } = startVisit(AGGREGATE, { browser: first.browser });
  await accepted();

  const { text } = only(page.requests);
  assertEquals([text.includes(identity?.anonymousId ?? "?"), text.includes(sessionId ?? "?")], [false, false]);
});

Deno.test("SPEC 2.8 rule 2: event IDs and batch IDs stay the same in a retry, for deduplication", async () => {
  const { browser, page, accepted } = startVisit(AGGREGATE);
  browser.respond({ status: 500 });
  await accepted();
  browser.respond({ status: 202 });

  await browser.advance(MIN_BACKOFF_MS);

  const [first, second] = page.requests.map(({ body }) => [body.batchId, body.events.map(({ id }) => id)]);
  assertEquals(first, second);
});

Deno.test("SPEC 2.8 rule 3: the event context is restricted", async () => {
  const { accepted } = startVisit(AGGREGATE, {
    url: "https://shop.example/teas?mail=ada@example.org#token",
    referrer: "https://search.example/?q=ada",
    title: "Ada's teas",
  });

  const { context } = only(await accepted());

  assertEquals(Object.keys(context ?? {}).sort(), ["pageUrl", "referrer", "sdkName", "sdkVersion"]);
  assertEquals([context?.pageUrl, context?.referrer], ["https://shop.example/teas", "https://search.example"]);
});
