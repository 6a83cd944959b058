import { assertEquals, assertLessOrEqual } from "@std/assert";
import { resolveConfig } from "../../../src/client/config.ts";
import { createTestBrowser, type TestBrowser } from "../../../src/testing/mod.ts";
import { entryKeys, savedNames } from "../../support/entries.ts";
import { namesOf, only, startVisit, warningsOf } from "../../support/visit.ts";

const DAY_MS = 86_400_000;
const MAX_OUTBOX_BYTES = 1_048_576;

Deno.test("an event is on the device a second after it was made, and until it's acknowledged", async () => {
  const { browser, client } = startVisit();
  client.step("a");
  client.step("b");
  await browser.advance(999);
  const before = savedNames(browser);
  await browser.advance(1);

  const after = savedNames(browser);
  await browser.advance(5000);

  assertEquals([before, after], [[], ["a", "b"]]);
  assertEquals([...browser.storage.keys()].toSorted(), ["vendor.sdk.session", "vendor.sdk.visitor"]);
  client.close();
});

Deno.test("an event behind a pageview that awaits its title is on the device after two seconds", async () => {
  const { browser, client } = startVisit({ trackPageviews: true });
  client.step("a");
  await browser.advance(1999);
  const before = savedNames(browser);

  await browser.advance(1);

  assertEquals([before, savedNames(browser)], [[], ["$pageview", "a"]]);
  client.close();
});

Deno.test("an event is on the device as soon as its first request failed", async () => {
  const { browser, client } = startVisit({ maxBatchSize: 1 });
  browser.respond({ status: 503 });

  client.step("a");
  await browser.settle();

  assertEquals(savedNames(browser), ["a"]);
  client.close();
});

Deno.test("an event that is under way at once is on the device after a second too", async () => {
  const { browser, client } = startVisit({ maxBatchSize: 1 });
  browser.respond("hang");

  client.step("a");
  await browser.advance(1000);

  assertEquals(savedNames(browser), ["a"]);
  client.close();
});

Deno.test("events are never written one by one", async () => {
  const { browser, client } = startVisit();
  let writes = 0;
  const set = browser.storage.set.bind(browser.storage);
  browser.storage.set = (...entry) => (writes++, set(...entry));

  for (let i = 0; i < 1000; i++) {
    client.step(`${i}`);
    await browser.advance(10);
  }

  assertLessOrEqual(writes, 50); // of 1,000 events in 10 s
  client.close();
});

Deno.test("an entry's key tells neither endpoint nor API key, and its value no API key", async () => {
  const { browser, client } = startVisit({ apiKey: "pk_secretive", endpoint: "https://ingest.shop.example/" });
  client.step("a");
  await browser.advance(1000);

  const key = only(entryKeys(browser));
  assertEquals(/^vendor\.sdk\.outbox\.3\.-?\d+\.[\da-f-]{36}\.[\da-f-]{36}$/.test(key), true, key);
  assertEquals(`${browser.storage.get(key)}`.includes("pk_secretive"), false);
  client.close();
});

Deno.test("a page adopts nothing of another key", async () => {
  const { browser, client } = startVisit({ apiKey: "pk_14040" });
  browser.respond({ status: 503 });
  client.step("of another key");
  await browser.advance(5000);
  client.close();
  await browser.settle();
  browser.respond({ status: 202 });

  const { page, client: next } = startVisit({ apiKey: "pk_20601" }, { browser });
  await browser.advance(60_000);

  assertEquals([page.events, savedNames(browser)], [[], ["of another key"]]);
  next.close();
});

Deno.test("the keys of a row of accounts, and their endpoints, lie apart on the device", () => {
  const accounts = new Set<string>();
  for (let i = 0; i < 20_000; i++) {
    accounts.add(resolveConfig({ apiKey: `pk_${i}` }).account);
    accounts.add(resolveConfig({ apiKey: "pk_test", endpoint: `https://t${i}.example/v1/events` }).account);
  }

  assertEquals(accounts.size, 40_000);
});

Deno.test("aggregates are never on the device, granted consent or not", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: "auto", consent: "pending" });
  browser.goOffline();
  page.pushState("/cart");
  await browser.advance(5000);
  page.hide();
  const touched = page.touched.storage;
  page.show();

  client.setConsent("granted"); // the aggregates of both pages are sealed
  client.step("full");
  await browser.advance(5000);
  page.hide();

  assertEquals([touched, savedNames(browser)], [0, ["full"]]);
  client.close();
});

Deno.test("what can't be read or sent, or is older than 7 days, is removed, and nothing else", async () => {
  const now = Date.UTC(2026, 0, 10);
  const id = "3f2a6f0e-6b0e-4d7f-9a53-0d8f6a1f2b11";
  const event = (ageMs: number, sdkVersion = "0.1.0"): string =>
    JSON.stringify({
      id,
      name: "a",
      timestamp: new Date(now - ageMs).toISOString(),
      sessionId: "s",
      identity: { userId: null },
      context: { sdkVersion },
    });
  const left = [
    "",
    "something else",
    "null",
    `${event(0)}\n${event(0).slice(0, 10)}`,
    '{"id":"e","name":"a"}',
    event(0).replace("2026", ""),
    event(7 * DAY_MS),
    event(0, "0.1.0€"),
    event(0, "0.1.0\n"),
    event(0).replace('"0.1.0"', '{"major":0}'),
  ];
  const { account } = resolveConfig({ apiKey: "pk_test" });
  for (const target of [account, "7"]) {
    const kept = {
      [`vendor.sdk.outbox.3.7.${id}.page`]: event(6 * DAY_MS),
      "vendor.sdk.outbox.4.7.later_form": "unknown",
      "vendor.sdkoutbox": "theirs",
      cart: "theirs",
    };
    const damaged = left.map((text, i) => [`vendor.sdk.outbox.3.${target}.${id.slice(2)}${10 + i}.page`, text]);
    const misnamed = ["", "e", `${id}1`, `${id} `].map((name) => [
      `vendor.sdk.outbox.3.${target}.${name}.page`,
      event(0),
    ]);
    const browser = createTestBrowser({ now, storage: { ...Object.fromEntries([...damaged, ...misnamed]), ...kept } });

    const { page, client } = startVisit({}, { browser });
    await browser.advance(60_000);

    const keys = [...browser.storage.keys()].filter((key) => !key.endsWith(".visitor"));
    assertEquals([keys, page.requests, warningsOf(page)], [Object.keys(kept), [], []]);
    client.close();
  }
});

Deno.test("a page keeps its newest 1 MiB on the device, and the rest in memory", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 1 });
  browser.goOffline();
  for (let i = 0; i < 60; i++) {
    client.step(`${i}`, { text: "x".repeat(30_000) });
    await browser.advance(2000);
  }
  const [bytes, saved] = [savedBytes(browser), savedNames(browser)];

  browser.goOnline();
  await browser.advance(60_000);

  assertLessOrEqual(bytes, MAX_OUTBOX_BYTES);
  assertEquals([...saved], Array.from({ length: 34 }, (_, i) => `${26 + i}`));
  assertEquals([page.events.length, savedNames(browser), client.drops()], [60, [], {}]);
  client.close();
});

for (const [visits, steps, kept] of [[4, 40, 34], [6, 33, 33]] as const) {
  Deno.test(`of ${visits} visits with a blocker, ${steps} large events each, the device keeps the newest 1 MiB of the last, and at most 1 MiB more`, async () => {
    const browser = createTestBrowser();
    browser.goOffline();

    for (let visit = 1; visit <= visits; visit++) {
      const { page, client } = startVisit({ maxBatchSize: 1 }, { browser });
      for (let i = 0; i < steps; i++) client.step(`${visit}`, { text: "x".repeat(30_000) });
      await browser.advance(10_000);
      client.close();
      page.close();
      await browser.advance(10_000);
    }

    assertLessOrEqual(savedBytes(browser), 2 * MAX_OUTBOX_BYTES);
    assertEquals(savedNames(browser).filter((name) => name === `${visits}`).length, kept);
  });
}

Deno.test("what gone pages left, and a page has no room for, outlives that page", async () => {
  const browser = createTestBrowser();
  browser.goOffline();
  for (const [name, amount] of [["first", 100], ["second", 100], ["third", 40]] as const) {
    const { page, client } = startVisit({}, { browser });
    for (let i = 0; i < amount; i++) client.step(name, { text: "x".repeat(8600) });
    await browser.advance(name === "third" ? 30_000 : 100);
    page.close();
    client.close();
  }
  const bytes = savedBytes(browser);
  const left = savedNames(browser).length;

  browser.goOnline();
  const { page, client } = startVisit({}, { browser });
  await browser.advance(120_000);

  assertLessOrEqual(bytes, 2 * MAX_OUTBOX_BYTES);
  assertLessOrEqual(210, left);
  const arrived = namesOf(page.events);
  assertEquals([arrived.length, arrived.filter((name) => name === "third").length], [left, 40]);
  client.close();
});

for (const access of ["blockStorage", "fillStorage"] as const) {
  Deno.test(`${access}() costs no event while the page lives`, async () => {
    const { browser, page, client } = startVisit();
    browser[access]();
    browser.respond({ status: 503 });
    client.step("a");
    await browser.advance(10_000);
    page.hide();
    page.show();
    browser.respond({ status: 202 });

    await browser.advance(60_000);

    assertEquals([new Set(namesOf(page.events)), client.drops(), [...browser.storage]], [new Set(["a"]), {}, []]);
    client.close();
  });
}

Deno.test("what the site erased is on the device again when the page goes", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 1 });
  browser.goOffline();
  for (const name of ["a", "b"]) client.step(name);
  await browser.advance(2000);
  page.clearStorage();

  page.close();

  assertEquals(savedNames(browser).toSorted(), ["a", "b"]);
});

for (const status of [413, 503]) {
  Deno.test(`granted -> pending -> granted goes on with what was answered ${status} meanwhile, as it was`, async () => {
    const { browser, page, client } = startVisit();
    browser.respond({ status });
    client.step("a");
    client.step("b");
    client.setConsent("pending");
    await browser.advance(120_000);
    const { length } = page.requests;
    browser.respond({ status: 202 });

    client.setConsent("granted");
    client.step("new");
    await browser.advance(1000);

    const [first, second] = page.requests.map(({ body }) => ({ ...body, sentAt: "" }));
    assertEquals([length, second], [1, first]);
    assertEquals([namesOf(page.events), client.drops(), savedNames(browser)], [["a", "b"], {}, ["new"]]);
    client.close();
  });
}

Deno.test("granted -> pending removes what is acknowledged, and counts what the device refused", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 1 });
  browser.respond(({ text }) => ({ status: text.includes("refused") ? 503 : 202 }));
  client.step("saved");
  page.hide();
  client.setConsent("pending");
  const before = savedNames(browser);
  await browser.settle();
  client.setConsent("granted");
  browser.fillStorage();
  client.step("refused");

  client.setConsent("pending");
  await browser.advance(60_000);

  assertEquals([before, savedNames(browser)], [["saved"], []]);
  assertEquals([namesOf(page.events), page.requests.length, client.drops()], [["saved"], 2, { consent: 1 }]);
  client.close();
});

function savedBytes(browser: TestBrowser): number {
  return entryKeys(browser).reduce((bytes, key) => bytes + `${browser.storage.get(key)}`.length, 0);
}

Deno.test("of a burst that the device has no room for, the oldest go", async () => {
  const { browser, page, client } = startVisit();
  browser.goOffline();
  for (let i = 0; i < 60; i++) client.step(`${i}`, { x: "y".repeat(30_000) });
  await browser.settle();

  page.hide();

  const saved = savedNames(browser);
  const newest = Array.from({ length: 20 }, (_, i) => `${40 + i}`);
  assertEquals(newest.filter((name) => !saved.includes(name)), []);
});
