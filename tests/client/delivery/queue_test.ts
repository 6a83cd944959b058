import { assertEquals, assertGreater, assertLessOrEqual } from "@std/assert";
import type { TestRequest } from "../../../src/testing/mod.ts";
import { at, namesOf, only, startVisit, warningsOf } from "../../support/visit.ts";

const MAX_BODY_BYTES = 60_000;

Deno.test("createClient() delivers 10,000 steps of one task in order, behind the pageview before them", async () => {
  const { page, client, accepted } = startVisit({ trackPageviews: true });

  for (let i = 0; i < 10_000; i++) client.step(`${i}`);

  const names = namesOf(await accepted());
  assertEquals(names, ["$pageview", ...Array.from({ length: 10_000 }, (_, i) => `${i}`)]);
  assertEquals([warningsOf(page), client.drops()], [[], {}]);
  client.close();
});

Deno.test("createClient() drops the oldest past 20,000 drafts of one task, counted, with one warning", async () => {
  const { page, client, accepted } = startVisit({ maxBatchSize: 100 });

  for (let i = 0; i < 20_010; i++) client.step(`${i}`);

  const names = namesOf(await accepted());
  assertEquals([names.length, at(names, 0), at(names, -1)], [20_000, "10", "20009"]);
  assertEquals([warningsOf(page).length, client.drops()], [1, { queue_full: 10 }]);
  client.close();
});

Deno.test("createClient() drops the oldest batches past 20,000 events, but none that is under way", async () => {
  const { browser, page, client, accepted } = startVisit({ maxBatchSize: 100 });
  browser.respond("hang");
  for (let i = 0; i < 15_000; i++) client.step(`${i}`);
  await browser.settle();
  for (let i = 15_000; i < 20_300; i++) client.step(`${i}`);
  await browser.settle();

  browser.respond({ status: 202 });
  at(page.requests, 0).answer({ status: 202 });

  const names = namesOf(await accepted());
  assertEquals([names.length, at(names, 99), at(names, 100), at(names, -1)], [20_100, "99", "300", "20299"]);
  assertEquals([warningsOf(page).length, client.drops()], [1, { queue_full: 200 }]);
  client.close();
});

Deno.test("createClient() drops the oldest batches past 16 MiB", async () => {
  const { browser, page, client, accepted } = startVisit();
  browser.goOffline();
  for (let i = 0; i < 600; i++) client.step(`${i}`, { text: "é".repeat(15_000) });
  await browser.settle();
  browser.goOnline();

  const events = await accepted();

  const bytes = page.requests.reduce((sum, request) => sum + bytesOf(request), 0);
  assertLessOrEqual(bytes, 16 * 1024 * 1024 + MAX_BODY_BYTES); // the open batch comes on top
  assertGreater(bytes, 15.9 * 1024 * 1024);
  assertEquals([at(events, -1).name, client.drops()], ["599", { queue_full: 600 - events.length }]);
  client.close();
});

Deno.test("createClient() fills batches up to 60,000 UTF-8 bytes of body", async () => {
  const { page, client, accepted } = startVisit({ maxBatchSize: 100 }, { title: "茶".repeat(500) });
  client.identify("利用者", { note: "茶".repeat(1000) });

  for (let i = 0; i < 200; i++) client.step("茶", { text: "茶".repeat((i * 997) % 10_000) });

  assertEquals((await accepted()).length, 200);
  const sizes = page.requests.filter(({ body }) => body.events.length > 1).map(bytesOf);
  assertLessOrEqual(Math.max(...sizes), MAX_BODY_BYTES);
  assertGreater(Math.max(...sizes), 0.9 * MAX_BODY_BYTES);
  client.close();
});

Deno.test("createClient() sends an event that alone makes a larger body at once, and by itself", async () => {
  const { browser, page, client, accepted } = startVisit({}, { title: "世".repeat(8000) });
  client.identify("user-1", { text: "x".repeat(8000) });

  client.step("large", { text: "x".repeat(32_000) });
  await browser.settle();
  client.step("small");

  assertGreater(bytesOf(only(page.requests)), MAX_BODY_BYTES);
  await accepted();
  assertEquals(page.requests.map(({ body }) => namesOf(body.events)), [["large"], ["small"]]);
  client.close();
});

Deno.test("createClient() sends at once when the queue reaches 60,000 bytes", async () => {
  const { browser, page, client } = startVisit();
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

Deno.test("createClient() counts drafts behind a pageview that awaits its title to the batch size", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: true, maxBatchSize: 4 });
  await browser.advance(1000);
  client.step("a");
  await browser.settle();
  page.pushState("/cart");
  await browser.advance(300);
  const before = page.requests.length;

  client.step("b");
  await browser.settle();

  assertEquals(before, 0);
  assertEquals(namesOf(only(page.requests).body.events), ["$pageview", "a", "$pageview", "b"]);
  client.close();
});

Deno.test("createClient() arms the flush timer with the first draft, not with each", async () => {
  const { browser, page, client } = startVisit({ flushInterval: 1000 });
  client.step("a");
  await browser.advance(900);
  client.step("b");

  await browser.advance(100);

  assertEquals(page.requests.map(({ body }) => namesOf(body.events)), [["a", "b"]]);
  client.close();
});

Deno.test("createClient() never sends an empty batch", async () => {
  const { browser, page, client } = startVisit({ flushInterval: 1 });

  client.flush();
  await browser.advance(60_000);
  page.hide();

  assertEquals(page.requests, []);
  client.close();
});

for (const status of [0, 503]) {
  Deno.test(`createClient() makes a batch an attempt while all is answered ${status}, not one per interval`, async () => {
    const { browser, page, client } = startVisit();
    browser.respond({ status });
    for (let i = 0; i < 360; i++) {
      client.step(`${i}`);
      await browser.advance(10_000);
    }
    browser.respond({ status: 202 });

    await browser.advance(600_000);

    assertEquals([page.events.length, client.drops()], [360, {}]);
    assertLessOrEqual(new Set(page.requests.map(({ body }) => body.batchId)).size, 25); // one an attempt: 36 fit into a batch of 50
    client.close();
  });
}

function bytesOf({ text }: TestRequest): number {
  return new TextEncoder().encode(text).length;
}
