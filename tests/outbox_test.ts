import { assertEquals } from "@std/assert";
import { createClient } from "../src/client.ts";
import { createTestBrowser } from "../src/testing/mod.ts";
import { entryKeys, eventsOf, onlyEntry } from "./support/entries.ts";
import { namesOf, only, startVisit, warningsOf } from "./support/visit.ts";

const DAY_MS = 86_400_000;

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

Deno.test("a pageview is on the device a second after its navigation, however long its title took", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: true, flushInterval: 60_000 });
  await browser.advance(5000);
  page.pushState("/same-title");
  await browser.advance(999);
  const before = onlyEntry(browser).names;

  await browser.advance(1);

  assertEquals([before, onlyEntry(browser).names], [["$pageview"], ["$pageview", "$pageview"]]);
  client.close();
});

Deno.test("what the events of an entry say of page and visitor is on the device once", async () => {
  const { browser, client } = startVisit();
  client.identify("ada", { note: "n".repeat(5000) });
  for (let i = 0; i < 10; i++) client.step(`${i}`);
  await browser.advance(1000);
  const entry = `${browser.storage.get(only(entryKeys(browser)))}`;

  assertEquals([entry.length < 8000, eventsOf(entry).length], [true, 10], `${entry.length} characters`);
  client.close();
});

Deno.test("whatever texts, users and pages an entry mixes, its events leave as they were captured", async () => {
  const { browser, page, client } = startVisit();
  browser.respond({ status: 0 });
  const properties = { text: "\t\n$&$1\u2028", context: { sdkName: "x" }, "\t": "\\t" };
  client.step("a", properties);
  client.identify("$& \t \n", { "$'": "\t" });
  client.step("b", properties);
  page.pushState("/$&?tab=%09");
  client.step("c", properties);
  client.step("d");
  await browser.advance(5000);
  const [sent] = page.requests;
  page.crash();

  browser.respond({ status: 202 });
  const next = startVisit({}, { browser });
  await browser.advance(60_000);

  assertEquals(browser.events, sent?.body.events);
  assertEquals(browser.events.map(({ properties }) => properties), [properties, properties, properties, undefined]);
  next.client.close();
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
  assertEquals(/^vendor\.sdk\.outbox\.1\.-?\d+\.[\da-f-]{36}$/.test(key), true, key);
  assertEquals(`${browser.storage.get(key)}`.includes("pk_secretive"), false);
  client.close();
});

Deno.test("what can't be read, or is older than 7 days, is removed, and nothing else", async () => {
  const own = '{"id":"e","name":"a"';
  const event = `${own}\t,"sessionId":"s","identity":{"userId":null},"context":{}}`;
  const now = Date.UTC(2026, 0, 10);
  const entry = (head: string, ...lines: string[]): string => [head, ...lines].join("\n");
  const storage = {
    "vendor.sdk.outbox.1.7.empty": "",
    "vendor.sdk.outbox.1.7.text": "something else",
    "vendor.sdk.outbox.1.7.evicted_long_ago": entry(`["p",${now - 7 * DAY_MS - 1},"0.1.0",0,null]`),
    "vendor.sdk.outbox.1.7.evicted": entry(`["p",${now - 6 * DAY_MS},"0.1.0",0,null]`),
    "vendor.sdk.outbox.1.7.cut": entry(`["p",${now},"0.1.0",0,null]`, event, event.slice(0, 10)),
    "vendor.sdk.outbox.1.7.blank": entry(`["p",${now},"0.1.0",0,null]`, " "),
    "vendor.sdk.outbox.1.7.blank_end": entry(`["p",${now},"0.1.0",0,null]`, event, ""),
    "vendor.sdk.outbox.1.7.no_tail": entry(`["p",${now},"0.1.0",0,null]`, own, event),
    "vendor.sdk.outbox.1.7.no_envelope": entry(
      `["p",${now},"0.1.0",0,null]`,
      '{"id":"e","sessionId":"s","name":"x\t"}',
    ),
    "vendor.sdk.outbox.1.7.no_session_in_envelope": entry(
      `["p",${now},"0.1.0",0,null]`,
      '{"id":"e","sessionId":"s"\t}',
    ),
    "vendor.sdk.outbox.1.7.null": entry(`["p",${now},"0.1.0",0,null]`, "null\t"),
    "vendor.sdk.outbox.1.7.no_session": entry(`["p",${now},"0.1.0",0,null]`, "{\t}"),
    "vendor.sdk.outbox.1.7.header": entry(`["p",${now},"0\\n1",0,null]`, event),
    "vendor.sdk.outbox.1.7.no_date": entry(`["p",9000000000000000,"0.1.0",0,null]`, event),
    "vendor.sdk.outbox.1.7.old": entry(`["p",${now - 7 * DAY_MS - 1},"0.1.0",0,null]`, event, own),
    "vendor.sdk.outbox.1.7.other_account": entry(`["p",${now - 6 * DAY_MS},"0.1.0",0,null]`, event),
    "vendor.sdk.outbox.2.7.later_form": "unknown",
    "vendor.sdkoutbox": "theirs",
    cart: "theirs",
  };
  const browser = createTestBrowser({ now, storage });

  const { page, client } = startVisit({}, { browser });
  await browser.advance(60_000);

  assertEquals([...browser.storage.keys()].filter((key) => !/visitor|session/.test(key)), [
    "vendor.sdk.outbox.1.7.evicted",
    "vendor.sdk.outbox.1.7.other_account",
    "vendor.sdk.outbox.2.7.later_form",
    "vendor.sdkoutbox",
    "cart",
  ]);
  assertEquals([page.requests, client.drops()], [[], { too_old: 2 }]);
  client.close();
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

Deno.test("the newest 1 MiB is on the device; what doesn't fit is in memory all the same", async () => {
  const { browser, page, client } = startVisit();
  browser.respond({ status: 0 });
  const properties = { text: "x".repeat(30_000) };
  for (let i = 0; i < 50; i++) client.step(`${i}`, properties);
  await browser.advance(1000);
  const sizes = entryKeys(browser).map((key) => `${browser.storage.get(key)}`.length);
  const names = entryKeys(browser).flatMap((key) => eventsOf(browser.storage.get(key)).map(({ name }) => Number(name)));

  browser.respond({ status: 202 });
  await browser.advance(60_000);

  assertEquals(sizes.reduce((sum, size) => sum + size) <= 1_048_576, true);
  assertEquals(names.sort((a, b) => a - b), Array.from({ length: names.length }, (_, i) => 50 - names.length + i));
  assertEquals(names.length > 30, true);
  assertEquals([page.events.length, client.drops(), warningsOf(page)], [50, {}, []]);
  client.close();
});

Deno.test("what events share counts once against that", async () => {
  const { browser, client } = startVisit();
  browser.goOffline();
  client.identify("ada", { note: "n".repeat(500) });
  for (let i = 0; i < 4000; i++) client.step(`${i}`);
  await browser.advance(1000);

  assertEquals(entryKeys(browser).flatMap((key) => eventsOf(browser.storage.get(key))).length, 4000);
  client.close();
});

Deno.test("an event is on the device a second later, though the clock went back an hour meanwhile", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: true, flushInterval: 600_000 });
  await browser.advance(16_500);
  page.pushState("/next");
  browser.setNow(browser.now() - 3_600_000);
  client.step("a");
  await browser.advance(1000);

  assertEquals(onlyEntry(browser).names, ["$pageview", "$pageview", "a"]);
  client.close();
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
  const names = entryKeys(browser).map((key) => namesOf(eventsOf(browser.storage.get(key))));
  browser.respond({ status: 202 });
  page.close();
  const next = startVisit({}, { browser });
  await browser.advance(60_000);

  assertEquals(names.flat().sort(), ["a", "b", "c"]);
  assertEquals(new Set(namesOf(browser.events)), new Set(["a", "b", "c"]));
  assertEquals(entryKeys(browser), []);
  next.client.close();
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

Deno.test("a batch that there is no room for costs storage nothing, each time that the others are saved", async () => {
  const browser = createTestBrowser();
  const { environment } = browser.open("https://shop.example/");
  const removed: string[] = [];
  const storage = {
    ...environment.storage,
    remove(key: string) {
      removed.push(key);
      environment.storage.remove(key);
    },
  };
  const client = createClient({ apiKey: "pk", maxBatchSize: 1 }, { ...environment, storage });
  browser.goOffline();
  for (let i = 0; i < 100; i++) client.step(`${i}`, { text: "x".repeat(30_000) });
  await browser.advance(1000);
  const saved = entryKeys(browser).length;

  client.step("last");
  await browser.advance(1000);

  assertEquals([saved, removed.length], [34, 0]);
  client.close();
});

Deno.test("a full queue that drops events costs no saved one beside them, though the page crashes at once", async () => {
  const { browser, page, client } = startVisit({ flushInterval: DAY_MS, maxBatchSize: 100 });
  browser.goOffline();
  for (let i = 0; i < 8000; i++) client.step("saved");
  await browser.advance(1000);
  for (let i = 0; i < 2005; i++) client.step("made since");
  page.crash();

  const saved = entryKeys(browser).flatMap((key) => eventsOf(browser.storage.get(key)));

  assertEquals(client.drops(), { queue_full: 5 });
  assertEquals(saved.length, 8000);
});

Deno.test("how often the server failed at a batch is on the device, for the page that goes on with it", async () => {
  const { browser, client } = startVisit({ maxBatchSize: 1 });
  browser.respond(({ text }) => ({ status: text.includes("poison") ? 500 : 202 }));
  client.step("poison");
  await browser.advance(2000);
  const before = onlyEntry(browser).head[3];

  client.step("a");
  await browser.advance(600_000);

  assertEquals([before, onlyEntry(browser).head[3]], [0, 1]);
  client.close();
});
