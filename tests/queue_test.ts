import { assertEquals, assertGreater, assertLess } from "@std/assert";
import { at, startVisit, warningsOf } from "./support/visit.ts";

Deno.test("10,000 steps in one task all arrive, in order", async () => {
  const { page, client, accepted } = startVisit();

  for (let i = 0; i < 10_000; i++) client.step(`${i}`);

  const events = await accepted();
  assertEquals(events.map(({ name }) => name), Array.from({ length: 10_000 }, (_, i) => `${i}`));
  assertEquals(warningsOf(page), []);
  client.close();
});

Deno.test("10,000 steps in one task all arrive, with the pageview before them", async () => {
  const { browser, client, accepted } = startVisit({ trackPageviews: true });
  await browser.settle();

  for (let i = 0; i < 10_000; i++) client.step(`${i}`);

  assertEquals([(await accepted()).length, client.drops()], [10_001, {}]);
  client.close();
});

Deno.test("past 10,000 events the oldest are dropped, with one warning, and counted", async () => {
  const { browser, page, client, accepted } = startVisit();
  browser.goOffline();

  for (let i = 0; i < 10_010; i++) client.step(`${i}`);
  browser.goOnline();

  const events = await accepted();
  assertEquals([at(events, 0).name, at(events, -1).name, events.length], ["10", "10009", 10_000]);
  assertEquals([warningsOf(page).length, client.drops().queue_full], [1, 10]);
  client.close();
});

Deno.test("past 16 MiB the oldest are dropped, with one warning, and counted", async () => {
  const { browser, page, client, accepted } = startVisit();
  browser.goOffline();
  const properties = { text: "é".repeat(15_000) };

  for (let i = 0; i < 600; i++) client.step(`${i}`, properties);
  browser.goOnline();

  const events = await accepted();
  const size = events.reduce((bytes, event) => bytes + new TextEncoder().encode(JSON.stringify(event)).length, 0);
  assertLess(size, 16 * 1024 * 1024);
  assertGreater(size, 15.5 * 1024 * 1024); // the bound counts envelopes too
  assertEquals([at(events, -1).name, client.drops().queue_full, warningsOf(page).length], [
    "599",
    600 - events.length,
    1,
  ]);
  client.close();
});

Deno.test("what is being sent when the bounds are reached isn't lost", async () => {
  const { browser, page, client, accepted } = startVisit({ maxBatchSize: 10 });
  browser.respond("hang");
  for (let i = 0; i < 10_020; i++) client.step(`${i}`);

  browser.respond({ status: 202 });
  at(page.requests, 0).answer({ status: 202 });

  const events = await accepted();
  assertEquals(events.slice(0, 10).map(({ name }) => name), ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
  assertEquals(events.length, 10_010); // what is under way doesn't count against the bounds
  client.close();
});

Deno.test("events of the bounds' other side go on as soon as there is room", async () => {
  const { browser, client, accepted } = startVisit();
  browser.goOffline();
  for (let i = 0; i < 10_001; i++) client.step("old");
  browser.goOnline();
  await accepted();

  client.step("new");

  assertEquals(at(await accepted(), -1).name, "new");
  client.close();
});
