import { assertEquals, assertLess } from "@std/assert";
import { entryKeys, eventsOf } from "./support/entries.ts";
import { namesOf, only, startVisit } from "./support/visit.ts";

const DAY_MS = 86_400_000;

Deno.test("what the site erased of several batches is on the device again when the page goes", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 1 });
  browser.goOffline();
  for (const name of ["a", "b"]) client.step(name);
  await browser.advance(2000);
  const first = only(entryKeys(browser).filter((key) => browser.storage.get(key)?.includes('"name":"a"')));
  browser.storage.delete(first);

  page.hide();

  assertEquals([entryKeys(browser).length, entryKeys(browser).includes(first)], [2, true]);
  client.close();
});

Deno.test("a page keeps its newest 1 MiB on the device, however long it takes to track more", async () => {
  const { browser, client } = startVisit({ maxBatchSize: 1 });
  browser.goOffline();
  for (let i = 0; i < 60; i++) {
    client.step(`${i}`, { text: "x".repeat(30_000) });
    await browser.advance(2000);
  }

  const length = entryKeys(browser).reduce((sum, key) => sum + `${browser.storage.get(key)}`.length, 0);
  const names = entryKeys(browser).flatMap((key) => namesOf(eventsOf(browser.storage.get(key))));
  assertLess(length, 1_048_576);
  assertEquals(names, Array.from({ length: names.length }, (_, i) => `${60 - names.length + i}`));
  client.close();
});

Deno.test("what has no room on the device any more is there again as soon as there is", async () => {
  const { browser, client } = startVisit({ maxBatchSize: 1 });
  browser.respond({ status: 503, retryAfterMs: 60_000 });
  client.step("evicted");
  await browser.advance(2000);
  browser.goOffline();
  const [evicted = ""] = entryKeys(browser);
  for (let i = 0; i < 40; i++) client.step("filler", { text: "x".repeat(30_000) });
  await browser.advance(2000);
  const before = entryKeys(browser).includes(evicted);
  browser.setRandom(0.001);
  browser.respond(({ text }) => ({ status: text.includes("filler") ? 202 : 503 }));
  browser.goOnline();
  await browser.advance(120_000);

  assertEquals([before, entryKeys(browser)], [false, [evicted]]);
  client.close();
});

Deno.test("a page leaves what is newer on the device than its own", async () => {
  const first = startVisit();
  const { browser } = first;
  const properties = { text: "x".repeat(30_000) };
  browser.goOffline();
  for (let i = 0; i < 20; i++) first.client.step("old", properties);
  await browser.advance(10_000);
  const second = startVisit({}, { browser });
  for (let i = 0; i < 12; i++) second.client.step("newer", properties);
  await browser.advance(2000);

  for (let i = 0; i < 4; i++) first.client.step("newest", properties);
  await browser.advance(2000);

  const names = entryKeys(browser).flatMap((key) => namesOf(eventsOf(browser.storage.get(key))));
  assertEquals(["newer", "newest"].map((name) => names.filter((each) => each === name).length), [12, 4]);
  for (const { client } of [first, second]) client.close();
});

Deno.test("what the device never took, and was counted when consent went, isn't sent later", async () => {
  const { browser, page, client } = startVisit();
  browser.goOffline();
  browser.fillStorage();
  client.step("a");
  await browser.advance(2000);
  client.setConsent("pending");
  browser.openStorage();
  browser.goOnline();

  client.setConsent("granted");
  await browser.advance(60_000);

  assertEquals([page.events, client.drops()], [[], { consent: 1 }]);
  client.close();
});

Deno.test("an aggregate that waits is never on the device, granted consent or not", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: "auto", consent: "pending" });
  browser.goOffline();
  await browser.settle();
  page.pushState("/cart");
  await browser.settle();

  client.setConsent("granted");
  await browser.advance(2000);
  page.hide();

  const urls = entryKeys(browser).flatMap((key) => eventsOf(browser.storage.get(key))).map(({ context }) =>
    context?.pageUrl
  );
  assertEquals(urls, ["https://shop.example/cart"]);
  client.close();
});

Deno.test("a batch that grew too old while the device slept isn't sent by the timer that fires first", async () => {
  const { browser, page, client } = startVisit();
  browser.respond({ status: 503, retryAfterMs: 10_000 });
  client.step("a");
  client.flush();
  await browser.advance(2000);
  browser.respond({ status: 202 });

  browser.setNow(browser.now() + 8 * DAY_MS); // nothing tells the page
  await browser.advance(60_000);

  assertEquals([page.requests.length, client.drops()], [1, { too_old: 1 }]);
  client.close();
});
