import { assertEquals, assertLessOrEqual } from "@std/assert";
import { createInstance } from "../src/instance.ts";
import { createTestBrowser } from "../src/testing/mod.ts";
import { namesOf, startVisit } from "./support/visit.ts";

Deno.test("a page that was hidden and is shown again batches as before", async () => {
  const { browser, page, client } = startVisit();
  page.hide();
  page.show();
  await browser.settle();

  for (let i = 0; i < 120; i++) {
    client.step("a");
    await browser.advance(500);
  }

  assertLessOrEqual(page.requests.length, 13);
  assertEquals(page.requests.filter(({ keepalive }) => keepalive), []);
  client.close();
});

Deno.test("a clock that is set back while the page is hidden doesn't keep it in its exit", async () => {
  const { browser, page, client } = startVisit();
  page.hide();
  browser.setNow(browser.now() - 3_600_000);

  for (let i = 0; i < 10; i++) {
    client.step("a");
    await browser.advance(100);
  }

  assertEquals(page.requests, []);
  client.close();
});

Deno.test("a batch too large to leave with a hidden page is sent all the same if the page lives on", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 1 });
  const title = "\u4e16".repeat(8000);
  page.setTitle(title);
  client.identify("ada", { about: "x".repeat(8000) });
  client.step("large", { text: "x".repeat(30_000) });

  page.hide();
  page.show();
  await browser.advance(60_000);

  assertEquals(namesOf(page.events), ["large"]);
  client.close();
});

Deno.test("init() repeated more often than its flushInterval doesn't put the flush off", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  const instance = createInstance(page.environment);
  instance.init({ apiKey: "pk" });
  instance.step("a");

  for (let i = 0; i < 3; i++) {
    await browser.advance(2000);
    instance.init({ apiKey: "pk" });
  }
  await browser.settle();

  assertEquals(namesOf(page.events), ["a"]);
  instance.close();
});

Deno.test("after a second init() the new flushInterval is in force for what is queued", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  const instance = createInstance(page.environment);
  instance.init({ apiKey: "pk", flushInterval: 3_600_000 });
  instance.step("a");

  instance.init({ apiKey: "pk", flushInterval: 1000 });
  await browser.advance(1000);

  assertEquals(namesOf(page.events), ["a"]);
  instance.close();
});

Deno.test("an endpoint that is gone doesn't hold up the one of a second init()", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  browser.respond(({ url }) => ({ status: url.includes("gone") ? 0 : 202 }));
  const instance = createInstance(page.environment);
  instance.init({ apiKey: "pk", endpoint: "https://gone.example/" });
  instance.step("old");
  instance.init({ apiKey: "pk", endpoint: "https://ingest.example/" });
  instance.step("new");

  await browser.advance(600_000);

  assertEquals(namesOf(page.events), ["new"]);
  instance.close();
});

Deno.test("an element that took the place of document.referrer is no referrer, and throws nothing", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  const environment = { ...page.environment, referrer: () => ({}) as string };
  const instance = createInstance(environment);

  instance.init({ apiKey: "pk", trackPageviews: "auto", consent: "pending" });
  await browser.advance(60_000);

  assertEquals(page.events.map(({ context }) => context?.referrer), [undefined]);
  instance.close();
});

Deno.test("a second init() with denied sends nothing of a pageview that awaits its title", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  const instance = createInstance(page.environment);
  instance.init({ apiKey: "pk", trackPageviews: true, maxBatchSize: 1 });

  instance.init({ apiKey: "pk", consent: "denied" });
  await browser.advance(60_000);

  assertEquals(page.requests, []);
  instance.close();
});

Deno.test("after a second init() the new flushInterval is in force at once, for old events and for new ones", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  const instance = createInstance(page.environment);
  instance.init({ apiKey: "pk", flushInterval: 3_600_000 });
  instance.step("old");
  await browser.settle();

  instance.init({ apiKey: "pk", flushInterval: 200 });
  await browser.advance(200);
  const before = namesOf(page.events);
  instance.step("new");
  await browser.advance(200);

  assertEquals([before, namesOf(page.events)], [["old"], ["old", "new"]]);
  instance.close();
});
