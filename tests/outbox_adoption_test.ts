import { assertEquals, assertNotEquals } from "@std/assert";
import { createClient, NO_ANSWER } from "../src/client.ts";
import { createTestBrowser, type TestBrowser } from "../src/testing/mod.ts";
import { entryKeys, eventsOf, onlyEntry } from "./support/entries.ts";
import { at, namesOf, only, startVisit } from "./support/visit.ts";

const DAY_MS = 86_400_000;

/** A browser with what the pages of another left on the device: neither handler nor timer of theirs runs any more. */
function openAfterCrash(browser: TestBrowser): TestBrowser {
  return createTestBrowser({
    storage: Object.fromEntries(browser.storage),
    now: browser.now(),
    ids: () => crypto.randomUUID(),
  });
}

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

  const next = openAfterCrash(browser);
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

Deno.test("a batch is sent again as it was sent, with its batch id, though its page crashed at once", async () => {
  const first = startVisit({ flushInterval: 1500 });
  const { browser } = first;
  browser.respond("hang");
  first.client.step("saved before");
  await browser.advance(1499);
  first.client.step("not yet");
  await browser.advance(1);
  const sent = only(first.page.requests);

  const next = openAfterCrash(browser);
  const second = startVisit({}, { browser: next });
  await next.advance(60_000);

  const { batchId, events } = only(second.page.requests).body;
  assertEquals([batchId, events], [sent.body.batchId, sent.body.events]);
  assertEquals(events.length, 2);
  second.client.close();
  first.client.close();
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

Deno.test("what a full queue dropped isn't adopted later", async () => {
  const first = startVisit({ flushInterval: DAY_MS, maxBatchSize: 100 });
  const { browser } = first;
  browser.goOffline();
  first.client.step("dropped");
  first.client.step("dropped too");
  await browser.advance(1000);
  for (let i = 0; i < 10_000; i++) first.client.step("kept", { i });
  browser.goOnline();
  void first.client.flush();
  await browser.advance(60_000);

  const next = openAfterCrash(browser);
  const second = startVisit({}, { browser: next });
  await next.advance(60_000);

  assertEquals(first.client.drops(), { queue_full: 2 });
  assertEquals([first.page.events.length, entryKeys(browser)], [10_000, []]);
  assertEquals(second.page.events, []);
  second.client.close();
  first.client.close();
});

Deno.test("a batch that the site erased from the device isn't saved again when it's sent", async () => {
  const first = startVisit({ flushInterval: 1500 });
  const { browser } = first;
  browser.respond("hang");
  first.client.step("a");
  await browser.advance(1000);
  browser.storage.clear();
  await browser.advance(500);
  assertEquals([first.page.requests.length, entryKeys(browser)], [1, []]);

  const second = startVisit({}, { browser });
  await browser.advance(5000);

  assertEquals(second.page.requests, []);
  second.client.close();
  first.client.close();
});

Deno.test("nothing is adopted by a page whose console denies consent when it hears of a drop", async () => {
  const browser = createTestBrowser();
  browser.goOffline();
  const leave = async (name: string): Promise<void> => {
    const { page, client } = startVisit({ apiKey: `pk_${name}` }, { browser });
    client.step(name);
    await browser.advance(1000);
    page.crash();
  };
  await leave("fresh");
  const [fresh = ""] = entryKeys(browser);
  await leave("old");
  const [, old = ""] = entryKeys(browser);
  browser.storage.set(old, `${browser.storage.get(old)}`.replace(`,${browser.now() - 1000},`, ",0,"));
  await browser.advance(60_000);
  const { page, client } = startVisit({ apiKey: "pk_fresh" }, { browser });
  const { log } = page.environment;
  page.environment.log = (level, message) => {
    log(level, message);
    client.setConsent("denied");
  };
  browser.goOnline();
  await browser.advance(60_000);

  assertEquals([fresh !== "", client.getConsent(), client.drops().too_old], [true, "denied", 1]);
  assertEquals([page.requests, entryKeys(browser)], [[], []]);
  client.close();
});

Deno.test("a page that is only hidden keeps what it saved to itself", async () => {
  const first = startVisit();
  const { browser } = first;
  browser.respond({ status: 503, retryAfterMs: 60_000 });
  first.client.step("a");
  first.page.hide();
  await browser.advance(8000);

  const second = startVisit({}, { browser });
  await browser.advance(5000);

  assertEquals([first.page.requests.length, second.page.requests], [1, []]);
  second.client.close();
  first.client.close();
});

Deno.test("a page that becomes visible adopts what another left without waiting", async () => {
  const first = startVisit();
  const { browser } = first;
  const second = startVisit({}, { browser });
  await browser.advance(2000);
  browser.respond({ status: NO_ANSWER });
  first.client.step("a");
  first.page.close();
  browser.respond({ status: 202 });
  second.page.hide();
  await browser.advance(6000);

  second.page.show();
  await browser.advance(1000);

  assertEquals(namesOf(second.page.events), ["a"]);
  second.client.close();
});

for (const state of ["pending", "denied"] as const) {
  Deno.test(`a page that waited for its turn to adopt touches nothing if consent is ${state} by then`, async () => {
    const browser = createTestBrowser();
    const page = browser.open("https://shop.example/");
    const turns: (() => void)[] = [];
    const client = createClient({ apiKey: "pk" }, {
      ...page.environment,
      exclusively: (task) => void turns.push(task),
    });
    await browser.advance(1000);
    client.setConsent(state);
    const before = page.touched.storage;

    for (const turn of turns) turn();

    assertEquals([turns.length, page.touched.storage - before], [1, 0]);
    client.close();
  });
}

Deno.test("of pages opened together one adopts what another left, all of it, and sends it as full events", async () => {
  const first = startVisit({ maxBatchSize: 1 });
  const { browser } = first;
  browser.goOffline();
  for (const name of ["a", "b", "c"]) {
    first.client.step(name);
    await browser.advance(100);
  }
  await browser.advance(1000);
  first.page.crash();
  await browser.advance(31_000);
  browser.goOnline();

  browser.respond("hang");
  const others = [startVisit({}, { browser }), startVisit({}, { browser })];
  await browser.advance(1000);
  browser.respond({ status: 202 });
  for (const { page } of others) for (const request of page.requests) request.answer({ status: 202 });
  await browser.advance(60_000);

  const bodies = others.flatMap(({ page }) => page.requests.map(({ body }) => body));
  assertEquals(bodies.map((body) => ["collection" in body, ...namesOf(body.events)]), [[false, "a"], [false, "b"], [
    false,
    "c",
  ]]);
  for (const { client } of others) client.close();
});

Deno.test("granted -> pending -> granted goes on with what was left, though new events came at once", async () => {
  const { browser, page, client } = startVisit();
  browser.goOffline();
  client.step("left");
  client.setConsent("pending");

  client.setConsent("granted");
  client.step("new");
  await browser.advance(2000);
  browser.goOnline();
  client.flush();
  await browser.settle();

  assertEquals([namesOf(page.events).toSorted(), client.drops()], [["left", "new"], {}]);
  client.close();
});

Deno.test("what is left of a batch of which the rest was adopted is saved and sent apart from that", async () => {
  const browser = createTestBrowser();
  browser.goOffline();
  const { page, client } = startVisit({ flushInterval: DAY_MS }, { browser });
  client.step("adopted");
  await browser.advance(1000);
  const [adopted = ""] = entryKeys(browser);
  const entry = `${browser.storage.get(adopted)}`;
  client.step("rest");
  const [, leasedUntil = ""] = [...browser.storage].find(([key]) => key.startsWith("vendor.sdk.lease.")) ?? [];
  browser.setNow(Number(leasedUntil) + 1); // the device slept, and another page adopted the entry
  browser.storage.set(adopted, entry.replace(/[\w-]+/, "other"));
  browser.storage.set("vendor.sdk.lease.other", `${browser.now() + 30_000}`);
  client.flush();
  client.step("more");
  await browser.advance(2000);
  const saved = entryKeys(browser).filter((key) => key !== adopted).map((key) => browser.storage.get(key));
  browser.goOnline();
  client.flush();
  await browser.settle();

  assertEquals(saved.map((each) => namesOf(eventsOf(each))), [["rest", "more"]]);
  assertEquals([namesOf(page.events), entryKeys(browser)], [["rest", "more"], [adopted]]);
  client.close();
});

Deno.test("what a full queue dropped isn't adopted after a crash, and the rest once", async () => {
  const first = startVisit({ flushInterval: DAY_MS, maxBatchSize: 100 });
  const { browser } = first;
  browser.goOffline();
  first.client.step("dropped");
  first.client.step("dropped too");
  await browser.advance(1000);
  for (let i = 0; i < 9_998; i++) first.client.step("k");
  await browser.advance(2000);
  for (let i = 0; i < 2; i++) first.client.step("k");
  await browser.advance(2000);

  const next = openAfterCrash(browser);
  const second = startVisit({}, { browser: next });
  await next.advance(120_000);

  const ids = second.page.events.map(({ id }) => id);
  assertEquals(second.page.events.filter(({ name }) => name !== "k"), []);
  assertEquals([ids.length, new Set(ids).size], [10_000, 10_000]);
  second.client.close();
  first.client.close();
});
