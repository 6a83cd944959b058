import { assertEquals } from "@std/assert";
import type { InitConfig } from "../../../mod.ts";
import { createTestBrowser } from "../../../src/testing/mod.ts";
import { entryKeys, savedNames } from "../../support/entries.ts";
import { createVendor, namesOf, only, startVisit } from "../../support/visit.ts";
import { refuse } from "../../support/refuse.ts";

const OLD: InitConfig = { apiKey: "pk", endpoint: "https://old.example/v1/events" };
const NEW: InitConfig = { apiKey: "pk", endpoint: "https://new.example/v1/events" };

Deno.test("a second init() with the same key and endpoint goes on with the open batch", async () => {
  const { browser, page, vendor } = start(OLD);
  vendor.step("a");
  await browser.settle();

  vendor.init({ ...OLD, maxBatchSize: 3 });
  vendor.step("b");
  await browser.settle();
  const before = page.requests.length;
  vendor.step("c");
  await browser.settle();

  assertEquals([before, namesOf(only(page.requests).body.events)], [0, ["a", "b", "c"]]);
  vendor.close();
});

Deno.test("a second init() for another endpoint isn't held by a Retry-After of the first", async () => {
  const { browser, page, vendor } = start(OLD);
  browser.respond(({ url }) => url === OLD.endpoint ? { status: 429, retryAfterMs: 60_000 } : { status: 202 });
  vendor.step("old");
  vendor.flush();
  vendor.init(NEW);
  await browser.settle();

  vendor.step("new");
  await browser.advance(5000);

  assertEquals(namesOf(page.events), ["new"]);
  vendor.close();
});

Deno.test("a second init() repeated more often than its flushInterval doesn't put the flush off", async () => {
  const { browser, page, vendor } = start(OLD);
  vendor.step("a");

  for (let i = 0; i < 3; i++) {
    await browser.advance(2000);
    vendor.init(OLD);
  }

  assertEquals(namesOf(page.events), ["a"]);
  vendor.close();
});

Deno.test("a second init() puts its flushInterval in force at once, for old events and for new ones", async () => {
  const { browser, page, vendor } = start({ ...OLD, flushInterval: 3_600_000 });
  vendor.step("old");
  await browser.settle();

  vendor.init({ ...OLD, flushInterval: 200 });
  await browser.advance(200);
  const before = namesOf(page.events);
  vendor.step("new");
  await browser.advance(200);

  assertEquals([before, namesOf(page.events)], [["old"], ["old", "new"]]);
  vendor.close();
});

for (const [next, sent] of [[OLD, []], [NEW, ["new"]]] as const) {
  Deno.test(`a second init() for ${next.endpoint} sends ${sent.length} events in the wait for old.example`, async () => {
    const { browser, page, vendor } = start(OLD);
    browser.respond(({ url }) => url.includes("old") ? { status: 429, retryAfterMs: 60_000 } : { status: 202 });
    vendor.step("old");
    await browser.advance(5000);

    vendor.init(next);
    vendor.step("new");
    await browser.advance(10_000);

    assertEquals([page.requests.length, namesOf(page.events)], [1 + sent.length, sent]);
    vendor.close();
  });
}

Deno.test("a second init() for another endpoint leaves what isn't acknowledged to a page of the old one", async () => {
  const { browser, page, vendor } = start(OLD);
  browser.respond(({ url }) => ({ status: url.includes("old") ? 503 : 202 }));
  vendor.step("old");
  vendor.init(NEW);
  vendor.step("new");
  await browser.advance(600_000);
  const [attempt, ...others] = page.requests;
  vendor.close();
  browser.respond({ status: 202 });

  const next = startVisit(OLD, { browser });
  await browser.advance(60_000);

  assertEquals([attempt?.keepalive, attempt?.status, others.map(({ url }) => url)], [true, 503, [`${NEW.endpoint}`]]);
  assertEquals([namesOf(next.page.events), entryKeys(browser), vendor.drops()], [["old"], [], {}]);
  next.client.close();
});

Deno.test("a second init() for another key counts what the device refuses", async () => {
  const { browser, page, vendor } = start(OLD);
  browser.fillStorage();
  browser.goOffline();
  vendor.step("old");

  vendor.init({ ...OLD, apiKey: "pk_new" });
  await browser.settle();
  browser.goOnline();
  await browser.advance(60_000);

  assertEquals([page.events, vendor.drops()], [[], { consent: 1 }]);
  vendor.close();
});

Deno.test("a second init() for another key takes no 401 that the old one gets", async () => {
  const { browser, page, vendor } = start({ apiKey: "revoked" });
  browser.respond(({ headers }) => headers["X-API-Key"] === "revoked" ? refuse() : { status: 202 });
  vendor.step("old");

  vendor.init({ apiKey: "pk_new" });
  vendor.step("new");
  await browser.advance(60_000);

  assertEquals([page.requests.length, namesOf(page.events)], [2, ["new"]]);
  vendor.close();
});

for (const config of [OLD, NEW]) {
  Deno.test(`a second init() with denied for ${config.endpoint} aborts, discards and erases everything`, async () => {
    const { browser, page, vendor } = start({ ...OLD, maxBatchSize: 1, trackPageviews: true });
    browser.respond("hang");
    await browser.advance(3000);
    vendor.step("a");
    page.pushState("/cart"); // awaits its title

    vendor.init({ ...config, consent: "denied" });
    await browser.advance(60_000);
    page.close();

    assertEquals(page.requests.map(({ state }) => state), ["aborted"]);
    assertEquals([[...browser.storage.keys()], savedNames(browser), vendor.drops()], [[], [], { consent: 3 }]);
  });
}

function start(config: InitConfig) {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  const vendor = createVendor(page.environment);
  vendor.init(config);
  return { browser, page, vendor };
}
