import { assertEquals, assertLess } from "@std/assert";
import { createInstance } from "../src/instance.ts";
import { createTestBrowser } from "../src/testing/mod.ts";
import { entryKeys, eventsOf } from "./support/entries.ts";
import { namesOf, onHide, only, startVisit, UUID_V4, type Visit } from "./support/visit.ts";

const DAY_MS = 86_400_000;

Deno.test("a batch that grew too old while the device slept is dropped unsent, and counted once", async () => {
  const { browser, page, client } = startVisit();
  browser.goOffline();
  client.step("a");
  await browser.advance(10_000);
  const other = startVisit({}, { browser });

  browser.setNow(browser.now() + 8 * DAY_MS);
  browser.goOnline();
  await browser.advance(60_000);

  assertEquals(browser.requests, []);
  assertEquals([page, other.page].flatMap(({ requests }) => requests), []);
  assertEquals([client, other.client].map((each) => each.drops().too_old ?? 0).sort(), [0, 1]);
  for (const each of [client, other.client]) each.close();
});

Deno.test("a batch of a page that lives is dropped for its age by that page alone", async () => {
  const { browser, client } = startVisit();
  browser.respond({ status: 503, retryAfterMs: 300_000 });
  client.step("a");
  client.flush();
  await browser.settle();
  const other = startVisit({}, { browser });
  for (let i = 0; i < 7; i++) {
    browser.setNow(browser.now() + DAY_MS);
    client.flush();
    await browser.advance(16_000);
  }

  assertEquals((client.drops().too_old ?? 0) + (other.client.drops().too_old ?? 0), 1);
  for (const each of [client, other.client]) each.close();
});

Deno.test("a page that slept without noticing doesn't send again what another one delivered", async () => {
  const first = startVisit({ flushInterval: DAY_MS });
  const { browser } = first;
  browser.respond({ status: 503, retryAfterMs: 120_000 });
  first.client.step("a");
  first.client.flush();
  await browser.advance(2000);
  browser.respond({ status: 202 });
  browser.setNow(browser.now() + 60_000); // nothing tells the page
  const second = startVisit({}, { browser });
  await browser.settle();
  await browser.advance(300_000);

  assertEquals([namesOf(second.page.events), first.page.requests.length], [["a"], 1]);
  for (const { client } of [first, second]) client.close();
});

Deno.test("a page back from a long sleep takes up its lease at once", async () => {
  const first = startVisit();
  const { browser } = first;
  browser.respond({ status: 503, retryAfterMs: 300_000 });
  first.client.step("a");
  await browser.advance(5000);
  first.page.freeze();
  await browser.advance(120_000);
  browser.respond({ status: 202 });

  first.page.restore();
  const second = startVisit({}, { browser });
  await browser.advance(300_000);

  assertEquals([namesOf(first.page.events), second.page.requests], [["a"], []]);
  for (const { client } of [first, second]) client.close();
});

for (const way of ["visible", "restored"]) {
  Deno.test(`a page that is ${way} again and empties storage doesn't lose what it still has in memory`, async () => {
    const { browser, page, client } = startVisit();
    browser.respond({ status: 503 });
    client.step("a");
    await browser.advance(3000);
    if (way === "visible") page.hide();
    else page.freeze();
    await browser.advance(20_000);
    browser.respond({ status: 202 });

    if (way === "visible") page.show();
    else page.restore();
    browser.storage.clear(); // a logout of the site's own
    page.close();
    await browser.advance(60_000);

    assertEquals([namesOf(browser.events), client.drops()], [["a"], {}]);
    client.close();
  });
}

Deno.test("a page that was restored has taken up its lease before it sends", async () => {
  const { browser, page, client } = startVisit();
  browser.respond({ status: 503, retryAfterMs: 100_000 });
  client.step("a");
  await browser.advance(5000);
  page.freeze();
  await browser.advance(120_000);

  page.restore();

  const [, leasedUntilMs] = [...browser.storage].find(([key]) => key.startsWith("vendor.sdk.lease.")) ?? [];
  assertEquals([Number(leasedUntilMs) - browser.now(), page.requests.length], [30_000, 1]);
  client.close();
});

Deno.test("a page back from a short sleep sends nothing from before a denial, consented to anew or not", async () => {
  const first = startVisit();
  const { browser } = first;
  browser.goOffline();
  first.client.step("a");
  await browser.advance(2000);
  first.page.freeze();
  const second = startVisit({ consent: "denied" }, { browser });
  second.client.setConsent("granted");
  browser.goOnline();

  first.page.restore();
  first.client.step("b");
  await browser.advance(60_000);

  assertEquals(namesOf(browser.events), ["b"]);
  for (const { client } of [first, second]) client.close();
});

Deno.test("a page back from pending doesn't repeat what was under way before a denial in another tab", async () => {
  const first = startVisit();
  const { browser } = first;
  browser.respond("hang");
  first.client.step("a");
  first.client.setConsent("pending");
  const second = startVisit({ consent: "denied" }, { browser });
  await browser.settle();
  browser.respond({ status: 202 });

  first.client.setConsent("granted");
  first.client.step("b");
  await browser.advance(60_000);

  assertEquals(namesOf(browser.events), ["b"]);
  for (const { client } of [first, second]) client.close();
});

Deno.test("413 while pending neither halves nor repeats the batch: it waits on the device", async () => {
  const { browser, page, client } = startVisit();
  client.step("a");
  client.step("b");
  browser.respond({ status: 413 });

  client.setConsent("pending");
  await browser.advance(60_000);
  const { length } = page.requests;
  browser.respond({ status: 202 });
  client.setConsent("granted");
  await browser.advance(60_000);

  assertEquals([length, namesOf(page.events), client.drops()], [1, ["a", "b"], {}]);
  client.close();
});

Deno.test("after a second init() with the same account an outage costs nothing, and 401 leaves what is stored", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  const instance = createInstance(page.environment);
  const config = { apiKey: "pk", endpoint: "https://ingest.example/v1/events", maxBatchSize: 1 };
  instance.init(config);
  browser.respond({ status: 0 });
  instance.step("a");
  instance.init(config);
  instance.step("b");
  for (let i = 0; i < 20; i++) {
    page.hide();
    page.show(); // ends a suspension
    await browser.advance(60_000);
  }
  browser.respond(({ body }) => ({ status: body.events[0]?.name === "b" ? 202 : 401 }));
  page.hide();
  page.show();
  await browser.advance(60_000);

  assertEquals(instance.drops(), {});
  browser.respond({ status: 202 });
  instance.init(config);
  await browser.advance(60_000);
  assertEquals(new Set(namesOf(page.events)), new Set(["a", "b"]));
  instance.close();
});

Deno.test("what a page tracks as it goes isn't written again with every event", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 100 });
  browser.respond("hang");
  onHide(page, () => {
    for (let i = 0; i < 10_000; i++) client.step(`${i}`); // more than fits on the device
  });
  const before = page.touched.storage;

  page.hide();
  await browser.settle();

  const uses = page.touched.storage - before;
  assertEquals(uses < 500, true, `${uses} uses of storage`);
  client.close();
});

Deno.test("what an ended page left and doesn't fit any more is counted, what a page that lives saved isn't", async () => {
  const properties = { text: "x".repeat(30_000) };
  const ended = startVisit();
  const { browser } = ended;
  browser.respond({ status: 0 });
  for (let i = 0; i < 10; i++) ended.client.step("left", properties);
  ended.page.close();
  await browser.advance(5001);
  const living = startVisit({ apiKey: "pk_other" }, { browser });
  for (let i = 0; i < 10; i++) living.client.step("kept", properties);
  await browser.advance(2000);

  const next = startVisit({ apiKey: "pk_third" }, { browser });
  for (let i = 0; i < 50; i++) next.client.step("new", properties);
  await browser.advance(2000);

  assertEquals([next.client.drops(), living.client.drops()], [{ queue_full: 10 }, {}]);
  for (const { client } of [living, next]) client.close();
});

Deno.test("what the site erased is on the device again when the page goes", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 1 });
  browser.goOffline();
  for (const name of ["a", "b", "c", "d"]) client.step(name);
  await browser.advance(2000);
  browser.storage.clear();

  page.close();
  browser.goOnline();
  const next = startVisit({}, { browser });
  await browser.advance(60_000);

  assertEquals(namesOf(next.page.events).toSorted(), ["a", "b", "c", "d"]);
  next.client.close();
});

Deno.test("an entry stays on the device though there is no room for what came since", async () => {
  const { browser, page, client } = startVisit();
  browser.goOffline();
  client.step("a");
  await browser.advance(2000);
  browser.fillStorage();
  client.step("b");
  await browser.advance(2000);

  page.close();
  browser.openStorage();
  browser.goOnline();
  const next = startVisit({}, { browser });
  await browser.advance(60_000);

  assertEquals(namesOf(next.page.events), ["a"]);
  next.client.close();
});

Deno.test("a hidden page keeps what it saved, however much another page saves meanwhile", async () => {
  const first = startVisit();
  const { browser } = first;
  browser.respond({ status: 503 });
  for (let i = 0; i < 20; i++) first.client.step(`${i}`);
  await browser.advance(3000);
  first.page.hide();
  const second = startVisit({}, { browser });
  for (let i = 0; i < 2000; i++) second.client.step("filler", { text: "x".repeat(1000) });
  await browser.advance(2000);

  first.page.show();
  browser.respond({ status: 202 });
  await browser.advance(120_000);

  assertEquals([first.page.events.length, first.client.drops()], [20, {}]);
  assertEquals([second.page.events.length, second.client.drops()], [2000, {}]);
  for (const { client } of [first, second]) client.close();
});

Deno.test("pages that live keep the newest 1 MiB on the device together, and all of it in memory", async () => {
  const browser = createTestBrowser();
  browser.goOffline();
  const visits = Array.from({ length: 4 }, () => startVisit({}, { browser }));
  for (const { client } of visits) {
    for (let i = 0; i < 900; i++) client.step("filler", { text: "x".repeat(1000) });
    await browser.advance(2000);
  }
  const length = entryKeys(browser).reduce((sum, key) => sum + `${browser.storage.get(key)}`.length, 0);

  browser.goOnline();
  await browser.advance(120_000);

  assertLess(length, 1_048_576 + 20_000); // the heads of what is in memory alone stay
  for (const { page, client } of visits) {
    assertEquals([page.events.length, client.drops()], [900, {}]);
    client.close();
  }
  assertEquals(entryKeys(browser), []);
});

for (const end of ["goes", "no longer has consent"]) {
  Deno.test(`what another page evicted is on the device again, or counted, when the page ${end}`, async () => {
    const { browser, first, second } = await evictEvents();
    browser.goOnline();
    await browser.advance(30_000);

    if (end === "goes") first.page.close();
    else first.client.setConsent("pending");
    second.page.close();
    const third = startVisit({}, { browser });
    await browser.advance(120_000);

    const events = [first, second, third].flatMap(({ page }) => page.events);
    assertEquals(events.filter(({ name }) => name === "first").length, 20);
    assertEquals([first, second, third].map(({ client }) => client.drops()), [{}, {}, {}]);
    third.client.close();
  });
}

Deno.test("what another page evicted is counted when consent goes and there is no room for it any more", async () => {
  const { browser, first, second } = await evictEvents();
  const kept = entryKeys(browser).flatMap((key) => eventsOf(`${browser.storage.get(key)}`)).length - 25;
  browser.goOnline();
  browser.fillStorage();
  await browser.advance(5000);

  first.client.setConsent("pending");

  assertEquals([kept > 0 && kept < 20, first.client.drops()], [true, { consent: 20 - kept }]);
  for (const { client } of [first, second]) client.close();
});

Deno.test("a frozen page loses nothing to another page that needed the room, though its lease ends meanwhile", async () => {
  const { browser, first, second } = await evictEvents(({ page }) => page.freeze());
  await browser.advance(60_000);
  browser.goOnline();
  await browser.advance(10_000);

  first.page.restore();
  await browser.advance(600_000);

  const names = [...new Set(browser.events.map(({ id, name }) => name + id))].map((text) => text.slice(0, 5));
  assertEquals([names.filter((name) => name === "first").length, names.length], [20, 45]);
  for (const { client } of [first, second]) {
    assertEquals(client.drops(), {});
    client.close();
  }
});

Deno.test("of a page that crashed what was left of its entries is removed after 7 days", async () => {
  const first = startVisit();
  const { browser } = first;
  browser.goOffline();
  for (let i = 0; i < 20; i++) first.client.step(`${i}`);
  await browser.advance(2000);
  const second = startVisit({}, { browser });
  for (let i = 0; i < 2000; i++) second.client.step("filler", { text: "x".repeat(1000) });
  await browser.advance(2000);

  first.page.crash();
  browser.goOnline();
  await browser.advance(120_000);
  const before = entryKeys(browser).length;
  browser.setNow(browser.now() + 7 * DAY_MS);
  await browser.advance(60_000);

  assertEquals([second.page.events.length, before, entryKeys(browser)], [2000, 1, []]);
  second.client.close();
});

for (const refusal of ["blocked", "emptied and full"]) {
  Deno.test(`what was saved before storage was ${refusal} isn't taken for adopted when the page comes back`, async () => {
    const { browser, page, client } = startVisit({ flushInterval: DAY_MS });
    browser.goOffline();
    client.step("a");
    await browser.advance(1000);
    if (refusal === "blocked") browser.blockStorage();
    else {
      browser.storage.clear();
      browser.fillStorage();
    }
    await browser.advance(15_000);

    page.hide();
    await browser.advance(1000);
    page.show();
    browser.goOnline();
    void client.flush();
    await browser.advance(60_000);

    assertEquals([namesOf(page.events), client.drops()], [["a"], {}]);
    client.close();
  });
}

Deno.test("a batch of which the rest was adopted leaves under an ID, though the lease ends while the page is hidden", async () => {
  const browser = createTestBrowser();
  browser.goOffline();
  const { page, client } = startVisit({ flushInterval: DAY_MS }, { browser });
  client.step("adopted");
  await browser.advance(1000);
  client.step("rest");
  for (const key of entryKeys(browser)) browser.storage.delete(key);
  browser.goOnline();
  const [, leasedUntil = ""] = [...browser.storage].find(([key]) => key.startsWith("vendor.sdk.lease.")) ?? [];
  let nowMs = Number(leasedUntil);
  const { randomId } = page.environment;
  page.environment.now = () => nowMs;
  page.environment.randomId = () => {
    nowMs++; // after the page looked for what was adopted, and before it looks again
    return randomId();
  };

  page.hide();

  const { batchId, events } = only(page.requests).body;
  assertEquals([UUID_V4.test(batchId), namesOf(events)], [true, ["rest"]]);
  client.close();
});

/** Has a page save 20 large events that wait for their Retry-After, and another page, offline, 25 in their place. */
async function evictEvents(
  then: (first: Visit) => void = () => {},
): Promise<Pick<Visit, "browser"> & { readonly first: Visit; readonly second: Visit }> {
  const first = startVisit();
  const { browser } = first;
  const text = "x".repeat(30_000);
  browser.respond({ status: 429, retryAfterMs: 300_000 });
  for (let i = 0; i < 20; i++) first.client.step("first", { text });
  await browser.advance(2000);
  browser.goOffline();
  browser.respond({ status: 202 });
  then(first);
  const second = startVisit({}, { browser });
  for (let i = 0; i < 25; i++) second.client.step("second", { text });
  await browser.advance(2000);
  return { browser, first, second };
}
