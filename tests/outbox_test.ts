import { assertEquals, assertNotEquals } from "@std/assert";
import { createTestBrowser, type TestBrowser } from "../src/testing/mod.ts";
import { at, namesOf, only, startVisit, warningsOf } from "./support/visit.ts";

const DAY_MS = 86_400_000;

/** Returns the keys of what is undelivered. */
function entryKeys({ storage }: TestBrowser): readonly string[] {
  return [...storage.keys()].filter((key) => key.startsWith("vendor.sdk.outbox."));
}

/** Returns the one entry: its head, and its events. */
function onlyEntry(browser: TestBrowser): { readonly head: readonly unknown[]; readonly names: readonly string[] } {
  const [head = "", ...events] = `${browser.storage.get(only(entryKeys(browser)))}`.split("\n");
  return { head: JSON.parse(head), names: namesOf(events.map((event) => JSON.parse(event))) };
}

Deno.test("an event is on the device a second after it was made, and no longer than until it's acknowledged", async () => {
  const { browser, client } = startVisit();
  client.step("a");
  client.step("b");
  await browser.advance(999);
  const before = entryKeys(browser);

  await browser.advance(1);

  assertEquals(before, []);
  assertEquals(onlyEntry(browser).names, ["a", "b"]);
  await browser.advance(5000);
  assertEquals(entryKeys(browser), []);
  client.close();
});

Deno.test("events are never written one by one", async () => {
  const { browser, client } = startVisit();
  let writes = 0;
  const set = browser.storage.set.bind(browser.storage);
  browser.storage.set = (key, value) => {
    if (key.includes("outbox")) writes++;
    return set(key, value);
  };

  for (let i = 0; i < 1000; i++) {
    client.step(`${i}`);
    await browser.advance(10);
  }

  assertEquals(writes <= 20, true, `${writes} writes in 10 s`);
  client.close();
});

Deno.test("an entry's key tells neither endpoint nor API key, and its value no API key", async () => {
  const { browser, client } = startVisit({ apiKey: "pk_secretive", endpoint: "https://ingest.shop.example/" });
  client.step("a");
  await browser.advance(1000);

  const key = only(entryKeys(browser));
  assertEquals(/^vendor\.sdk\.outbox\.1\.\d+\.[\da-f-]{36}$/.test(key), true, key);
  assertEquals(`${browser.storage.get(key)}`.includes("pk_secretive"), false);
  client.close();
});

Deno.test("a visit after an outage sends what the one before left, with the same batch id, after 5 s", async () => {
  const first = startVisit();
  const { browser } = first;
  browser.respond({ status: 0 });
  first.client.step("a");
  first.client.step("b");
  await browser.advance(6000);
  first.page.close();
  const sent = at(first.page.requests, -1).body.batchId;
  browser.respond({ status: 202 });

  const second = startVisit({}, { browser });
  await browser.advance(4000);
  const early = second.page.requests.length;
  await browser.advance(20_000);

  assertEquals(early, 0);
  assertEquals(only(second.page.requests).body.batchId, sent);
  assertEquals(namesOf(second.page.events), ["a", "b"]);
  assertEquals([entryKeys(browser), second.client.drops()], [[], {}]);
  second.client.close();
});

Deno.test("a crash loses no event that is older than a second", async () => {
  const first = startVisit();
  const { browser } = first;
  first.client.step("a");
  await browser.advance(1000);
  first.page.environment.listen = () => () => {}; // hears nothing of its end
  const values = new Map(browser.storage);

  // The renderer is gone: neither handler nor timer runs, and the lease lapses.
  const next = createTestBrowser({
    storage: Object.fromEntries(values),
    now: browser.now(),
    ids: () => crypto.randomUUID(),
  });
  const second = startVisit({}, { browser: next });
  await next.advance(29_000);
  const early = second.page.requests.length;
  await next.advance(20_000);

  assertEquals(early, 0);
  assertEquals(namesOf(second.page.events), ["a"]);
  second.client.close();
  first.client.close();
});

Deno.test("a page that lives keeps what it saved to itself, however long the outage", async () => {
  const first = startVisit();
  const { browser } = first;
  browser.respond({ status: 503 });
  first.client.step("a");
  const second = startVisit({}, { browser });

  await browser.advance(600_000);

  assertEquals(first.page.requests.length > 5, true);
  assertEquals(second.page.requests, []);
  second.client.close();
  first.client.close();
});

Deno.test("what this page captured is sent before what it adopted", async () => {
  const first = startVisit();
  const { browser } = first;
  browser.respond({ status: 0 });
  first.client.step("old");
  first.page.close();

  const second = startVisit({ flushInterval: 60_000 }, { browser });
  second.client.step("new");
  await browser.advance(20_000); // adopted, but the device is offline
  browser.respond({ status: 202 });
  second.client.flush();
  await browser.advance(120_000);

  assertEquals(namesOf(second.page.events), ["new", "old"]);
  second.client.close();
});

Deno.test("an adopted batch carries the version that captured it, and new events don't join it", async () => {
  const first = startVisit();
  const { browser } = first;
  first.client.step("old");
  await browser.advance(1000);
  const [key, value] = [only(entryKeys(browser)), browser.storage.get(only(entryKeys(browser)))];
  first.client.close();
  await browser.settle();
  browser.storage.set(key, `${value}`.replace(/"\d+\.\d+\.\d+"/, '"0.0.9"'));

  const second = startVisit({}, { browser });
  await browser.advance(30_000);
  second.client.step("new");
  await browser.advance(30_000);

  const [adopted, own] = second.page.requests;
  assertEquals(adopted?.headers["X-Vendor-SDK-Version"], "0.0.9");
  assertEquals([namesOf(adopted?.body.events ?? []), namesOf(own?.body.events ?? [])], [["old"], ["new"]]);
  second.client.close();
});

Deno.test("what can't be read, or is older than 7 days, is removed, and nothing else", async () => {
  const event = '{"id":"e","name":"a","sessionId":"s","identity":{"userId":null},"context":{}}';
  const now = Date.UTC(2026, 0, 10);
  const entry = (head: string, ...events: string[]): string => [head, ...events].join("\n");
  const storage = {
    "vendor.sdk.outbox.1.7.empty": "",
    "vendor.sdk.outbox.1.7.text": "something else",
    "vendor.sdk.outbox.1.7.no_events": entry(`["p",${now},"0.1.0",0,null]`),
    "vendor.sdk.outbox.1.7.cut": entry(`["p",${now},"0.1.0",0,null]`, event, event.slice(0, 20)),
    "vendor.sdk.outbox.1.7.null": entry(`["p",${now},"0.1.0",0,null]`, "null"),
    "vendor.sdk.outbox.1.7.no_session": entry(`["p",${now},"0.1.0",0,null]`, "{}"),
    "vendor.sdk.outbox.1.7.header": entry(`["p",${now},"0\\n1",0,null]`, event),
    "vendor.sdk.outbox.1.7.old": entry(`["p",${now - 7 * DAY_MS - 1},"0.1.0",0,null]`, event, event),
    "vendor.sdk.outbox.1.7.other_account": entry(`["p",${now - 6 * DAY_MS},"0.1.0",0,null]`, event),
    "vendor.sdk.outbox.2.7.later_form": "unknown",
    "vendor.sdkoutbox": "theirs",
    cart: "theirs",
  };
  const browser = createTestBrowser({ now, storage });

  const { page, client } = startVisit({}, { browser });
  await browser.advance(60_000);

  assertEquals([...browser.storage.keys()].filter((key) => !/visitor|session/.test(key)), [
    "vendor.sdk.outbox.1.7.other_account",
    "vendor.sdk.outbox.2.7.later_form",
    "vendor.sdkoutbox",
    "cart",
  ]);
  assertEquals([page.requests, client.drops()], [[], { too_old: 2 }]);
  client.close();
});

Deno.test("pages with another key or endpoint leave it alone", async () => {
  const first = startVisit({ apiKey: "pk_1", endpoint: "https://a.example/" });
  const { browser } = first;
  browser.respond({ status: 0 });
  first.client.step("a");
  first.page.close();
  browser.respond({ status: 202 });

  const otherKey = startVisit({ apiKey: "pk_2", endpoint: "https://a.example/" }, { browser });
  const otherEndpoint = startVisit({ apiKey: "pk_1", endpoint: "https://b.example/" }, { browser });
  await browser.advance(60_000);
  const strangers = [...otherKey.page.requests, ...otherEndpoint.page.requests];
  const same = startVisit({ apiKey: "pk_1", endpoint: "https://a.example/" }, { browser });
  await browser.advance(60_000);

  assertEquals(strangers, []);
  assertEquals(namesOf(same.page.events), ["a"]);
  for (const { client } of [otherKey, otherEndpoint, same]) client.close();
});

Deno.test("pending doesn't touch the outbox, and granted resumes it", async () => {
  const first = startVisit();
  const { browser } = first;
  browser.respond({ status: 0 });
  first.client.step("a");
  first.page.close();
  browser.respond({ status: 202 });

  const second = startVisit({ consent: "pending" }, { browser });
  await browser.advance(60_000);
  const [requests, touched] = [second.page.requests.length, second.page.touched.storage];
  second.client.setConsent("granted");
  await browser.advance(1000);

  assertEquals([requests, touched], [0, 0]);
  assertEquals(namesOf(second.page.events), ["a"]);
  second.client.close();
});

Deno.test("denied erases it, and nothing of it is ever sent", async () => {
  const first = startVisit();
  const { browser } = first;
  browser.respond({ status: 0 });
  first.client.step("a");
  await browser.advance(2000);
  first.client.setConsent("denied");
  browser.respond({ status: 202 });
  const left = [...browser.storage.keys()];
  const { length } = browser.requests;

  const second = startVisit({}, { browser });
  await browser.advance(60_000);

  assertEquals([left, first.client.drops()], [[], { consent: 1 }]);
  assertEquals(browser.requests.length, length);
  for (const { client } of [first, second]) client.close();
});

Deno.test("granted -> pending -> granted goes on with what was left, same batch, nothing dropped", async () => {
  const { browser, page, client } = startVisit();
  browser.respond({ status: 503 });
  client.step("a");
  client.setConsent("pending");
  await browser.advance(120_000);
  const { length } = page.requests;
  browser.respond({ status: 202 });

  client.setConsent("granted");
  await browser.advance(1000);

  const [first, second] = page.requests;
  assertEquals([length, page.requests.length], [1, 2]);
  assertEquals(second?.body.batchId, first?.body.batchId);
  assertEquals([namesOf(page.events), client.drops(), entryKeys(browser)], [["a"], {}, []]);
  client.close();
});

Deno.test("401 stops sending, and leaves what is on the device for the next init()", async () => {
  const { browser, page, client } = startVisit();
  client.step("a");
  await browser.advance(1000);
  browser.respond({ status: 401 });
  await browser.advance(60_000);
  browser.respond({ status: 202 });

  const next = startVisit({}, { browser });
  await browser.advance(60_000);

  assertEquals(page.requests.length, 1);
  assertEquals([namesOf(next.page.events), client.drops(), next.client.drops()], [["a"], {}, {}]);
  for (const each of [client, next.client]) each.close();
});

Deno.test("a page back from a long freeze sends only what no other page adopted", async () => {
  const first = startVisit();
  const { browser } = first;
  browser.respond({ status: 0 });
  first.client.step("a");
  await browser.advance(5000);
  first.page.freeze();
  const second = startVisit({}, { browser });
  browser.respond({ status: 202 });
  await browser.advance(60_000);
  const { length } = first.page.requests;

  first.page.restore();
  first.client.step("b");
  await browser.advance(60_000);

  assertEquals(namesOf(second.page.events), ["a"]);
  assertEquals(namesOf(first.page.requests.slice(length).flatMap(({ body }) => body.events)), ["b"]);
  assertEquals(first.client.drops(), {});
  for (const { client } of [first, second]) client.close();
});

Deno.test("a page back from a long freeze goes on with what is still its own", async () => {
  const { browser, page, client } = startVisit();
  browser.respond({ status: 0 });
  client.step("a");
  await browser.advance(5000);
  page.freeze();
  await browser.advance(3_600_000);
  browser.respond({ status: 202 });

  page.restore();
  await browser.advance(60_000);

  assertEquals([namesOf(page.events), entryKeys(browser)], [["a"], []]);
  client.close();
});

Deno.test("a clock that was set back keeps no entry from being adopted", async () => {
  const first = startVisit();
  const { browser } = first;
  browser.respond({ status: 0 });
  first.client.step("a");
  await browser.advance(2000);
  first.page.close();
  browser.respond({ status: 202 });
  browser.setNow(browser.now() - 3_600_000);

  const second = startVisit({}, { browser });
  await browser.advance(60_000);

  assertEquals(namesOf(second.page.events), ["a"]);
  second.client.close();
});

Deno.test("the newest 1 MiB is on the device; what doesn't fit is in memory all the same", async () => {
  const { browser, page, client } = startVisit();
  browser.respond({ status: 0 });
  const properties = { text: "x".repeat(30_000) };
  for (let i = 0; i < 50; i++) client.step(`${i}`, properties);
  await browser.advance(1000);
  const sizes = entryKeys(browser).map((key) => `${browser.storage.get(key)}`.length);
  const names = entryKeys(browser).flatMap((key) =>
    `${browser.storage.get(key)}`.split("\n").slice(1).map((event) => Number(JSON.parse(event).name))
  );

  browser.respond({ status: 202 });
  await browser.advance(60_000);

  assertEquals(sizes.reduce((sum, size) => sum + size) <= 1_048_576, true);
  assertEquals(names.sort((a, b) => a - b), Array.from({ length: names.length }, (_, i) => 50 - names.length + i));
  assertEquals(names.length > 30, true);
  assertEquals([page.events.length, client.drops(), warningsOf(page)], [50, {}, []]);
  client.close();
});

Deno.test("an open batch that was adopted gets a batch id of its own; events are told apart by theirs", async () => {
  const first = startVisit({ flushInterval: DAY_MS });
  const { browser } = first;
  first.client.step("a");
  await browser.advance(1000);
  assertEquals(at(onlyEntry(browser).head, 4), null);
  first.page.freeze(); // sends what it has
  const sent = only(first.page.requests);
  await browser.advance(1000);
  assertEquals(at(onlyEntry(browser).head, 4), sent.body.batchId);

  first.page.restore();
  await browser.advance(1000);

  assertNotEquals(first.page.requests.length, 1);
  assertEquals(new Set(first.page.requests.map(({ body }) => body.batchId)).size, 1);
  first.client.close();
});

Deno.test("blocked or full storage costs no event while the page lives", async () => {
  const blocked = createTestBrowser();
  blocked.blockStorage();
  const full = createTestBrowser();
  full.fillStorage();

  for (const browser of [blocked, full]) {
    const { page, client } = startVisit({}, { browser });
    browser.respond({ status: 503 });
    client.step("a");
    await browser.advance(10_000);
    browser.respond({ status: 202 });
    await browser.advance(60_000);

    assertEquals([namesOf(page.events), client.drops(), [...browser.storage]], [["a"], {}, []]);
    client.close();
  }
});

Deno.test("a batch halved after 413 is on the device in halves", async () => {
  const { browser, page, client } = startVisit();
  for (const name of ["a", "b", "c"]) client.step(name);
  await browser.advance(1000);
  browser.respond(({ body }) => ({ status: body.events.length > 1 ? 413 : 503 }));
  await browser.advance(5000);
  const names = entryKeys(browser).map((key) =>
    namesOf(`${browser.storage.get(key)}`.split("\n").slice(1).map((event) => JSON.parse(event)))
  );
  browser.respond({ status: 202 });
  page.close();
  const next = startVisit({}, { browser });
  await browser.advance(60_000);

  assertEquals(names.flat().sort(), ["a", "b", "c"]);
  assertEquals(new Set(namesOf(browser.events)), new Set(["a", "b", "c"]));
  assertEquals(entryKeys(browser), []);
  next.client.close();
});
