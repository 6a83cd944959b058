import { assertEquals, assertLess } from "@std/assert";
import { createInstance } from "../src/instance.ts";
import { createTestBrowser } from "../src/testing/mod.ts";
import { at, namesOf, startVisit } from "./support/visit.ts";

const MINUTE_MS = 60_000;

/** Tracks an event for an endpoint that is gone; one at new.example answers. */
function startAtDeadEndpoint() {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  browser.respond(({ url }) => ({ status: url.includes("new") ? 202 : 0 }));
  const vendor = createInstance(page.environment);
  vendor.init({ apiKey: "pk_test", endpoint: "https://old.example/v1/events" });
  vendor.step("old");
  return { browser, page, vendor };
}

Deno.test("an outage of an hour that is answered 500 costs no event", async () => {
  const { browser, page, client } = startVisit();
  browser.respond({ status: 500 });
  for (let i = 0; i < 200; i++) client.step(`${i}`);
  await browser.advance(60 * MINUTE_MS);
  browser.respond({ status: 202 });

  await browser.advance(10 * MINUTE_MS);

  assertEquals([page.events.length, client.drops()], [200, {}]);
  client.close();
});

Deno.test("an outage answered 502 over several visits costs no event", async () => {
  const browser = createTestBrowser();
  browser.respond({ status: 502 });
  for (let visit = 0; visit < 6; visit++) {
    const { page, client } = startVisit({}, { browser });
    for (let i = 0; i < 60; i++) client.step(`${visit}.${i}`);
    await browser.advance(10 * MINUTE_MS);
    client.close();
    page.close();
  }
  browser.respond({ status: 202 });

  const { client } = startVisit({}, { browser });
  await browser.advance(10 * MINUTE_MS);

  const ids = new Set(browser.events.map(({ id }) => id)); // some answers came when their page was gone
  assertEquals([ids.size, client.drops()], [360, {}]);
  client.close();
});

Deno.test("a server that fails now and then, long after an outage too, costs no event", async () => {
  let requests = 0;
  const { browser, page, client } = startVisit({ maxBatchSize: 10 });
  browser.respond({ status: 500 });
  for (let i = 0; i < 200; i++) client.step(`${i}`);
  await browser.advance(60 * MINUTE_MS);
  browser.respond(() => ({ status: requests++ % 3 ? 502 : 202 }));

  await browser.advance(60 * MINUTE_MS);

  assertEquals([page.events.length, client.drops()], [200, {}]);
  client.close();
});

for (const status of [0, 408, 429, 500, 503]) {
  Deno.test(`a batch that alone fails with ${status} holds up the others for a while only`, async () => {
    const { browser, page, client } = startVisit({ maxBatchSize: 1 });
    browser.respond(({ text }) => ({ status: text.includes("poison") ? status : 202 }));
    client.step("poison");
    for (let i = 0; i < 30; i++) {
      client.step(`${i}`);
      await browser.advance(MINUTE_MS);
    }

    assertEquals(page.events.length, 30);
    client.close();
  });
}

Deno.test("a second init() with another endpoint doesn't wait for the first one's", async () => {
  const { browser, page, vendor } = startAtDeadEndpoint();
  await browser.advance(60 * MINUTE_MS);

  vendor.init({ apiKey: "pk_test", endpoint: "https://new.example/v1/events" });
  vendor.step("new");
  await browser.advance(5000);

  assertEquals(page.events.map(({ name }) => name), ["new"]);
  vendor.close();
});

Deno.test("an endpoint of an earlier init() that is gone for good doesn't slow the later one down for ever", async () => {
  const { browser, page, vendor } = startAtDeadEndpoint();
  await browser.advance(10_000);

  vendor.init({ apiKey: "pk_test", endpoint: "https://new.example/v1/events" });
  for (let i = 0; i < 60; i++) {
    vendor.step(`${i}`);
    await browser.advance(30_000);
  }

  const [first] = page.requests;
  const last = page.requests.findLast(({ url }) => url.includes("old"));
  assertLess(Number(last?.timeMs), Number(first?.timeMs) + 10 * MINUTE_MS);
  assertEquals([page.events.length, vendor.drops()], [60, { server_error: 1 }]);
  vendor.close();
});

Deno.test("what is left for the endpoint of an earlier init() comes after what the later one gets", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  browser.respond(({ url }) => ({ status: url.includes("new") ? 202 : 503 }));
  const vendor = createInstance(page.environment);
  vendor.init({ apiKey: "pk_test", endpoint: "https://old.example/v1/events", maxBatchSize: 1 });
  for (let i = 0; i < 20; i++) vendor.step(`old ${i}`);

  vendor.init({ apiKey: "pk_test", endpoint: "https://new.example/v1/events", maxBatchSize: 1 });
  for (let i = 0; i < 20; i++) vendor.step(`${i}`);
  await browser.advance(2 * MINUTE_MS);

  assertEquals(page.events.map(({ name }) => name), Array.from({ length: 20 }, (_, i) => `${i}`));
  vendor.close();
});

Deno.test("what is left for the endpoint of an earlier init() is sent, and flush() waits for it", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  const vendor = createInstance(page.environment);
  vendor.init({ apiKey: "pk_old" });
  vendor.step("old");
  vendor.init({ apiKey: "pk_new" });
  vendor.step("new");

  const flushed = vendor.flush();
  await browser.advance(1000);
  await flushed;

  assertEquals(namesOf(page.events).toSorted(), ["new", "old"]);
  vendor.close();
});

Deno.test("what was tracked offline for an earlier init() is sent once there is a network", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  const vendor = createInstance(page.environment);
  browser.goOffline();
  vendor.init({ apiKey: "pk_old" });
  vendor.step("old");
  vendor.init({ apiKey: "pk_new" });
  vendor.step("new");
  await browser.advance(MINUTE_MS);

  browser.goOnline();
  await browser.advance(MINUTE_MS);

  assertEquals(namesOf(page.events).toSorted(), ["new", "old"]);
  vendor.close();
});

Deno.test("an endpoint that fails doesn't hold up for good what is left for that of an earlier init()", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  browser.goOffline();
  const vendor = createInstance(page.environment);
  vendor.init({ apiKey: "pk_test", endpoint: "https://old.example/v1/events" });
  vendor.step("old");
  vendor.init({ apiKey: "pk_test", endpoint: "https://new.example/v1/events" });
  vendor.step("new");
  browser.respond(({ url }) => ({ status: url.includes("new") ? 503 : 202 }));
  browser.goOnline();

  await browser.advance(10 * MINUTE_MS);

  assertEquals(namesOf(page.events), ["old"]);
  vendor.close();
});

Deno.test("a batch that fails for good doesn't hold up what another page left", async () => {
  const { browser, client, page } = startVisit();
  browser.goOffline();
  client.step("left");
  client.close();
  page.close();
  browser.goOnline();
  browser.respond(({ text }) => ({ status: text.includes("poison") ? 503 : 202 }));
  const second = startVisit({}, { browser });
  second.client.step("poison");

  await browser.advance(10 * MINUTE_MS);

  assertEquals(namesOf(second.page.events), ["left"]);
  second.client.close();
});

for (const status of [0, 429, 500, 503]) {
  Deno.test(`an outage of an hour with ${status} leaves no queue of small batches`, async () => {
    const { browser, page, client } = startVisit();
    browser.respond({ status });
    for (let i = 0; i < 360; i++) {
      client.step(`${i}`);
      await browser.advance(10_000);
    }
    browser.respond({ status: 202 });
    const before = page.requests.length;

    page.hide();
    page.show();
    await browser.advance(10 * MINUTE_MS);

    assertEquals([page.events.length, client.drops()], [360, {}]);
    assertLess(page.requests.length - before, 24); // 360 events fill 8
    client.close();
  });

  Deno.test(`after an outage of an hour with ${status} a full queue drops the oldest events`, async () => {
    const { browser, page, client } = startVisit();
    browser.respond({ status });
    for (let i = 0; i < 9950; i++) client.step(`${i}`);
    await browser.advance(60 * MINUTE_MS);
    for (let i = 9950; i < 12_000; i++) client.step(`${i}`);
    browser.respond({ status: 202 });

    page.hide();
    page.show();
    await browser.advance(10 * MINUTE_MS);

    const names = namesOf(page.events).map(Number).sort((a, b) => a - b);
    assertEquals([names.length, at(names, 0), client.drops()], [10_000, 2000, { queue_full: 2000 }]);
    client.close();
  });
}
