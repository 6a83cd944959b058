import { assertEquals } from "@std/assert";
import { fullBody, namesOf, only, startVisit } from "../support/visit.ts";

Deno.test("SPEC 6 custom event: any name of 1-100 characters, by step(), in an EventRequestPayload", async () => {
  const { client, page, accepted } = startVisit();

  client.step("x");
  client.step("日".repeat(100));
  client.step("$custom");
  await accepted();

  const { type, events } = fullBody(only(page.requests));
  assertEquals([type, namesOf(events)], ["event", ["x", "日".repeat(100), "$custom"]]);
});

Deno.test("SPEC 3 and 6 full pageview: by automatic tracking with true, in an EventRequestPayload", async () => {
  const { page, accepted } = startVisit({ trackPageviews: true });

  await accepted();

  assertEquals(namesOf(fullBody(only(page.requests)).events), ["$pageview"]);
});

Deno.test("SPEC 3 and 6 full pageview: by automatic tracking with auto and granted consent", async () => {
  const { page, accepted } = startVisit({ trackPageviews: "auto" });

  await accepted();

  assertEquals(namesOf(fullBody(only(page.requests)).events), ["$pageview"]);
});

Deno.test("SPEC 6 full pageview: by manual capture", async () => {
  const { page, client, accepted } = startVisit();

  client.page();
  await accepted();

  assertEquals(namesOf(fullBody(only(page.requests)).events), ["$pageview"]);
});

Deno.test("SPEC 6 payload type identity: exists in the type, identify() sends nothing by itself", async () => {
  const { page, client, accepted } = startVisit();

  client.identify("user-1");
  await accepted();

  assertEquals(page.requests, []);
});

Deno.test("SPEC 2.7 and 6 deduplication: event IDs and batchId stay the same across retries", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 2 });
  browser.respond({ status: 500 });

  client.step("a");
  client.step("b");
  await browser.advance(60_000);

  const ids = page.requests.map(({ body }) => [body.batchId, ...body.events.map(({ id }) => id)].join());
  assertEquals([ids.length > 3, new Set(ids).size], [true, 1]);
});

Deno.test("SPEC 6 deduplication: an event is accepted once where every answer arrives", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: true });

  for (let i = 0; i < 60; i++) client.step("a");
  await browser.advance(5000);
  page.hide();
  page.show();
  await browser.advance(60_000);

  const ids = page.events.map(({ id }) => id);
  assertEquals([ids.length, new Set(ids).size], [61, 61]);
});
