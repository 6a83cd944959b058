import { assertEquals } from "@std/assert";
import type { InitConfig } from "../src/client.ts";
import { createInstance, type Instance } from "../src/instance.ts";
import { createTestBrowser } from "../src/testing/mod.ts";
import { at, namesOf, startVisit, warningsOf } from "./support/visit.ts";

const ENDPOINT = "https://ingest.example/v1/events";

Deno.test("a key that no header can hold stops everything until the next init()", async () => {
  const { browser, page, client } = startVisit({ apiKey: "pk_日本" });

  client.step("a");
  await browser.advance(5000);
  client.step("b");
  await browser.advance(600_000);
  page.hide();

  assertEquals(page.requests.map(({ state }) => state), ["refused"]);
  assertEquals(warningsOf(page), ["[Vendor] stopped until the next init(): invalid apiKey, endpoint or fetch()"]);
  client.close();
});

Deno.test("credentials in the endpoint stop everything until the next init()", async () => {
  const { browser, page, client } = startVisit({ endpoint: "https://user:secret@ingest.example/v1/events" });

  client.step("a");
  await browser.advance(5000);
  client.step("b");
  await browser.advance(600_000);

  assertEquals(page.requests.length, 1);
  client.close();
});

Deno.test("a content security policy that blocks the endpoint stops everything until the next init()", async () => {
  const { browser, page, client } = startVisit({ endpoint: ENDPOINT });
  page.block(ENDPOINT);

  client.step("a");
  await browser.advance(5000);
  client.step("b");
  await browser.advance(600_000);
  page.hide();

  assertEquals(page.requests.length, 1);
  client.close();
});

Deno.test("a content security policy that blocks another URL stops nothing", async () => {
  const { browser, page, client, accepted } = startVisit({ endpoint: ENDPOINT });
  page.block("https://other.example/");
  page.environment.send(
    { url: "https://other.example/", headers: {}, body: "{}", keepalive: false, priority: "auto" },
    () => {},
  );
  await browser.settle();

  client.step("a");
  await accepted();

  assertEquals([page.requests.length, page.requests.at(-1)?.state, page.logs], [2, "answered", []]);
  client.close();
});

Deno.test("the next init() sends again", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  const vendor = createInstance(page.environment);
  browser.respond(({ headers }) => ({ status: headers["X-API-Key"] === "revoked" ? 401 : 202 }));
  const config: InitConfig = { apiKey: "revoked" };
  vendor.init(config);
  vendor.step("a");
  await browser.advance(5000);

  vendor.init({ apiKey: "pk_new" });
  vendor.step("b");
  await browser.advance(5000);

  assertEquals(namesOf(page.events), ["b"]);
  vendor.close();
});

Deno.test("an answer 401 to the old key after a second init() doesn't stop the new one", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  const vendor = createInstance(page.environment);
  browser.respond(({ headers }) => ({ status: headers["X-API-Key"] === "revoked" ? 401 : 202 }));
  vendor.init({ apiKey: "revoked" });
  vendor.step("a");

  vendor.init({ apiKey: "pk_new" });
  vendor.step("b");
  await browser.advance(60_000);

  assertEquals(namesOf(page.events), ["b"]);
  vendor.close();
});

Deno.test("a request that can't be built gives one warning", async () => {
  const { browser, page, client } = startVisit({ apiKey: "pk_日本" });

  client.step("a");
  await browser.advance(5000);
  client.step("b");
  await browser.advance(5000);

  assertEquals(warningsOf(page).length, 1);
  client.close();
});

Deno.test("a content security policy that blocks the endpoint gives one warning", async () => {
  const { browser, page, client } = startVisit({ endpoint: ENDPOINT });
  page.block(ENDPOINT);

  client.step("a");
  await browser.advance(5000);
  client.step("b");
  await browser.advance(5000);

  assertEquals(warningsOf(page).length, 1);
  client.close();
});

Deno.test("after a stop events don't pile up", async () => {
  const { browser, client } = startVisit({ maxBatchSize: 1 });
  browser.respond({ status: 401 });
  client.step("a");
  await browser.settle();

  for (let i = 0; i < 20_000; i++) client.step("b");

  assertEquals(client.drops().queue_full, undefined);
  client.close();
});

Deno.test("a content security policy stops everything however the endpoint is written", async () => {
  const { browser, page, client } = startVisit({ endpoint: "https://INGEST.example:443/v1/../v1/events#a" });
  page.block(ENDPOINT);

  client.step("a");
  await browser.advance(600_000);

  assertEquals(page.requests.length, 1);
  assertEquals(warningsOf(page), ["[Vendor] stopped until the next init(): blocked by a content security policy"]);
  client.close();
});

for (const status of [401, 403]) {
  Deno.test(`an answer ${status} is what the warning tells, and what it costs is counted`, async () => {
    const { browser, page, client } = startVisit({ maxBatchSize: 1 });
    browser.fillStorage();
    browser.respond({ status });
    client.step("a");
    client.step("b");
    await browser.settle();

    client.step("c");

    assertEquals(warningsOf(page), [`[Vendor] stopped until the next init(): answer ${status}`]);
    assertEquals(client.drops(), { stopped: 3 });
    client.close();
  });
}

Deno.test("after an answer 401 what the keepalive quota refused doesn't leave again", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 1 });
  browser.respond("hang");
  client.step("a");
  client.step("b");
  page.hide();

  at(page.requests, 0).answer({ status: 401 });
  await browser.settle();
  at(page.requests, 1).fail();
  await browser.settle();

  assertEquals(page.requests.map(({ state }) => state), ["answered", "failed"]);
  client.close();
});

Deno.test("after an answer 401 no timer runs", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  const timers = new Set<unknown>();
  const vendor = createInstance({
    ...page.environment,
    setTimer(callback, delayMs) {
      const timer = {};
      const end = page.environment.setTimer(() => {
        timers.delete(timer);
        callback();
      }, delayMs);
      timers.add(timer);
      return () => {
        timers.delete(timer);
        end();
      };
    },
  });
  browser.respond({ status: 401 });
  vendor.init({ apiKey: "pk_wrong", maxBatchSize: 2, flushInterval: 3_600_000 });
  for (const name of ["a", "b", "c"]) vendor.step(name);

  await browser.settle();

  assertEquals([page.requests.length, timers.size], [1, 0]);
  vendor.close();
});

const REACTIONS: Readonly<Record<string, (vendor: Instance) => void>> = {
  "flush()": (vendor) => void vendor.flush(),
  'setConsent("pending")': (vendor) => vendor.setConsent("pending"),
};

for (const [name, react] of Object.entries(REACTIONS)) {
  Deno.test(`a page whose console calls ${name} when it hears of a stop sends nothing more`, async () => {
    const { browser, page, vendor } = startWithConsole(react);

    for (let i = 0; i < 3; i++) vendor.step("a");
    await browser.advance(60_000);

    assertEquals(page.requests.length, 1);
    vendor.close();
  });
}

Deno.test("a page whose console calls init() when it hears of a stop goes on with that", async () => {
  const { browser, page, vendor } = startWithConsole((instance) => instance.init({ apiKey: "pk_other" }));
  vendor.step("a");
  await browser.advance(5000);
  browser.respond({ status: 202 });

  vendor.step("b");
  await browser.advance(5000);

  assertEquals(namesOf(page.events), ["b"]);
  vendor.close();
});

/** Starts a client with a key that the ingest refuses, on a page whose console reacts to the warning. */
function startWithConsole(react: (vendor: Instance) => void) {
  const browser = createTestBrowser();
  browser.respond({ status: 401 });
  const page = browser.open("https://shop.example/");
  const log = (_level: string, message: string): void => {
    if (message.includes("stopped")) react(vendor);
  };
  const vendor = createInstance({ ...page.environment, log });
  vendor.init({ apiKey: "pk_wrong", maxBatchSize: 1 });
  return { browser, page, vendor };
}
