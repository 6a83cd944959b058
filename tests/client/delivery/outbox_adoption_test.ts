import { assertEquals } from "@std/assert";
import { createTestBrowser, type TestBrowser } from "../../../src/testing/mod.ts";
import { entryKeys, savedNames } from "../../support/entries.ts";
import { at, fullBody, namesOf, only, openPage, startVisit, type Visit } from "../../support/visit.ts";
import { resolveConfig } from "../../../src/client/config.ts";

const PROPERTIES = { text: '\t\n\\n"}\u2028茶', deep: { list: [1, null] } };

for (const isOpen of [true, false]) {
  Deno.test(`what a page left is sent 2 to 3 s later by one that ${isOpen ? "is open" : "comes"}, as it was`, async () => {
    const browser = createTestBrowser();
    browser.setRandom(0.999);
    const open = isOpen ? startVisit({}, { browser }) : undefined;
    await browser.advance(5000);
    const left = await leave(browser);
    const next = open ?? startVisit({}, { browser });

    await browser.advance(1999);
    const before = next.page.requests.length;
    next.client.step("own"); // doesn't join it
    await browser.advance(1001);

    const [sent, again] = [only(left.page.requests), only(next.page.requests)];
    assertEquals([before, again.headers], [0, sent.headers]);
    assertEquals({ ...again.body, sentAt: "" }, { ...sent.body, sentAt: "" });
    assertEquals(at(next.page.events, 0).properties, PROPERTIES);
    assertEquals([savedNames(browser), next.client.drops()], [["own"], {}]);
    next.client.close();
  });
}

Deno.test("what a crash left is sent 30 s after its page was heard of last, all but the last second of it", async () => {
  const { browser, page, client } = startVisit({ flushInterval: 3_600_000 });
  client.step("a");
  await browser.advance(1000);
  client.step("b");
  await browser.advance(999);
  page.crash();

  const next = startVisit({}, { browser });
  await browser.advance(29_000);
  const before = next.page.requests.length;
  await browser.advance(1001);

  assertEquals([before, namesOf(next.page.events)], [0, ["a"]]);
  next.client.close();
});

Deno.test("what was adopted stays on the device, and the lease of the page that left it goes", async () => {
  const browser = createTestBrowser();
  browser.setRandom(0);
  await leave(browser);
  const leases = (): readonly string[] =>
    [...browser.storage.keys()].filter((key) => key.startsWith("vendor.sdk.lease."));
  const [former] = leases();
  const [entry] = entryKeys(browser);
  browser.respond("hang");
  const next = startVisit({}, { browser });
  for (let i = 0; i < 100 && !next.page.requests[0]; i++) await browser.advance(100);

  assertEquals([next.page.requests.length, entryKeys(browser).length], [1, 1]);
  assertEquals([entryKeys(browser)[0] === entry, leases().includes(`${former}`), leases().length], [false, false, 1]);
  next.client.close();
});

Deno.test("what was adopted is its new page's own: of others, open or new, none sends it", async () => {
  const browser = createTestBrowser();
  await leave(browser);
  browser.respond({ status: 503 });
  const visits = [startVisit({}, { browser }), startVisit({}, { browser })];
  await browser.advance(10_000);
  visits.push(startVisit({}, { browser }));

  await browser.advance(600_000);
  const senders = visits.filter(({ page }) => page.requests.length > 0);
  browser.respond({ status: 202 });
  await browser.advance(300_000);

  assertEquals([senders.length, namesOf(browser.events), savedNames(browser)], [1, ["left"], []]);
  for (const { client } of visits) client.close();
});

/** How a page goes on that saved something in an outage. */
const LIVES: readonly { readonly what: string; readonly act: (visit: Visit) => unknown }[] = [
  { what: "lives", act: () => {} },
  {
    what: "was hidden for a second",
    async act({ browser, page }) {
      page.hide();
      await browser.advance(1000);
      page.show();
    },
  },
  {
    what: "slept for a second",
    async act({ browser, page }) {
      page.freeze();
      await browser.advance(1000);
      page.restore();
    },
  },
];

for (const { what, act } of LIVES) {
  Deno.test(`a page that ${what} keeps what it saved to itself, however long the outage`, async () => {
    const first = startVisit();
    const { browser } = first;
    const second = startVisit({}, { browser });
    browser.respond({ status: 503 });
    first.client.step("a");
    await browser.advance(6000);

    await act(first);
    await browser.advance(600_000);

    assertEquals([second.page.requests, savedNames(browser)], [[], ["a"]]);
    for (const { client } of [first, second]) client.close();
  });
}

Deno.test("what a hidden page saved is another page's soon: it may go without another word", async () => {
  const first = startVisit();
  const { browser } = first;
  const second = startVisit({}, { browser });
  browser.respond("hang");
  first.client.step("a");
  await browser.advance(6000);

  first.page.hide();
  await browser.advance(1000);
  const before = second.page.requests.length;
  await browser.advance(4000); // 2 s of the lease, and twice the second by which whoever looks may be late

  assertEquals([before, namesOf(second.page.requests.flatMap(({ body }) => body.events))], [0, ["a"]]);
  for (const { client } of [first, second]) client.close();
});

Deno.test("what hidden pages have is sent twice at most when an outage is over: by them, and by who took it", async () => {
  let turn = 0;
  const browser = createTestBrowser({ random: () => (turn += 0.3) % 1 });
  const visits = [1, 2, 3, 4].map(() => startVisit({}, { browser }));
  browser.respond("hang");
  for (const { client, page } of visits.slice(1)) {
    client.step("a");
    await browser.advance(6000);
    page.hide();
    await browser.advance(6000);
  }
  browser.respond({ status: 503 });
  await browser.advance(600_000);

  browser.respond({ status: 202 });
  await browser.advance(600_000);

  const counts = Object.groupBy(browser.events, ({ id }) => id);
  assertEquals(Object.values(counts).map((each) => (each?.length ?? 0) <= 2), [true, true, true]);
  for (const { client } of visits) client.close();
});

Deno.test("what another page took of a hidden one is on the device once, under the name of that other page", async () => {
  const first = startVisit();
  const { browser } = first;
  const second = startVisit({}, { browser });
  browser.respond("hang");
  first.client.step("a");
  await browser.advance(6000);
  const [own] = entryKeys(browser);
  first.page.hide();
  await browser.advance(5000);
  const [taken] = entryKeys(browser);

  await browser.advance(60_000);

  assertEquals([own === taken, entryKeys(browser)], [false, [taken]]);
  for (const { client } of [first, second]) client.close();
});

Deno.test("the lease of a page that is gone goes, though another page had taken all that it saved", async () => {
  const first = startVisit();
  const { browser } = first;
  const second = startVisit({}, { browser });
  browser.respond("hang");
  first.client.step("a");
  await browser.advance(6000);
  first.page.hide();
  await browser.advance(60_000);
  first.page.close();
  await browser.settle();
  const leases = (): number => [...browser.storage.keys()].filter((key) => key.startsWith("vendor.sdk.lease.")).length;
  const before = leases();

  await browser.advance(60_000);

  assertEquals([before, leases(), savedNames(browser)], [2, 1, ["a"]]);
  second.client.close();
});

Deno.test("a page takes what a hidden one saves once, however rare the timers are by which that one says that it lives", async () => {
  const browser = createTestBrowser();
  const { page, vendor } = openPage({ browser });
  const { setTimer } = page.environment;
  page.environment.setTimer = (callback, delayMs) => setTimer(callback, Math.max(delayMs, 60_000));
  vendor.init({ apiKey: "pk_test", flushInterval: 3_600_000 });
  const other = startVisit({}, { browser });
  browser.respond("hang");
  vendor.step("a");
  await browser.advance(180_000);
  vendor.step("b"); // joins the batch that the other page took
  page.hide();
  await browser.advance(1_200_000);

  const saved = savedNames(browser);
  other.client.setConsent("denied");
  await browser.settle();

  assertEquals([saved, other.client.drops()], [["a", "a", "b"], { consent: 1 }]); // the rest waits for the first one's end
  for (const client of [vendor, other.client]) client.close();
});

Deno.test("a page loses nothing of its own in a long outage, however much it takes of others whose timers are rare", async () => {
  const browser = createTestBrowser();
  browser.respond("hang");
  const pages = [1, 2, 3, 4].map((count) => {
    const { page, vendor } = openPage({ browser });
    const { setTimer } = page.environment;
    if (count < 4) page.environment.setTimer = (callback, delayMs) => setTimer(callback, Math.max(delayMs, 60_000));
    vendor.init({ apiKey: "pk_test" });
    return { page, vendor };
  });
  for (const { page, vendor } of pages) {
    for (let i = 0; i < 130; i++) vendor.step("a", { text: "x".repeat(8700) }); // over the 1 MiB that it may save
    await browser.advance(60_000);
    page.hide();
  }
  pages[3]?.page.show();

  await browser.advance(2_400_000);
  browser.respond({ status: 202 });
  await browser.advance(1_200_000);

  const drops = pages.map(({ vendor }) => vendor.drops());
  assertEquals([new Set(browser.events.map(({ id }) => id)).size, drops], [520, [{}, {}, {}, {}]]);
  for (const { vendor } of pages) vendor.close();
});

Deno.test("tabs that sleep in turns in an outage take a batch of each other once", async () => {
  const browser = createTestBrowser();
  const visits = [1, 2].map(() => startVisit({}, { browser }));
  browser.respond("hang");
  for (const { client } of visits) client.step("a");
  for (const { page } of [...visits, ...visits, ...visits]) {
    page.freeze();
    await browser.advance(60_000);
    page.restore();
    await browser.advance(1000);
  }

  visits[0]?.client.setConsent("denied");
  await browser.settle();

  assertEquals(visits.map(({ client }) => client.drops()), [{ consent: 2 }, { consent: 2 }]);
  for (const { client } of visits) client.close();
});

Deno.test("a page back from a long sleep sends what it has, though another page delivered it: the ingest knows its ids", async () => {
  const first = startVisit();
  const { browser } = first;
  browser.respond({ status: 503 });
  first.client.step("a");
  await browser.advance(5000);
  first.page.freeze();
  await browser.settle();
  const second = startVisit({}, { browser });
  browser.respond({ status: 202 });
  await browser.advance(60_000);

  first.page.restore();
  await browser.advance(60_000);

  const [sent, again] = [second, first].map(({ page }) => at(page.requests, -1).body);
  assertEquals([again?.batchId, again?.events], [sent?.batchId, sent?.events]);
  assertEquals(namesOf(browser.events), ["a", "a"]);
  for (const { client } of [first, second]) client.close();
});

Deno.test("a batch keeps the version that captured it", async () => {
  const browser = createTestBrowser();
  await leave(browser);
  const key = only(entryKeys(browser));
  browser.storage.set(key, `${browser.storage.get(key)}`.replaceAll(/"sdkVersion":"[\d.]+"/g, '"sdkVersion":"0.0.9"'));

  const { page, client } = startVisit({}, { browser });
  await browser.advance(10_000);

  const request = only(page.requests);
  const { context, events } = fullBody(request);
  const versions = [context, events[0]?.context].map((each) => each?.sdkVersion);
  assertEquals([request.headers["X-Vendor-SDK-Version"], ...versions], ["0.0.9", "0.0.9", "0.0.9"]);
  client.close();
});

Deno.test("a clock that was set back keeps no entry from being adopted", async () => {
  const browser = createTestBrowser();
  await leave(browser);
  browser.setNow(browser.now() - 3_600_000);

  const { page, client } = startVisit({}, { browser });
  await browser.advance(3000);

  assertEquals(namesOf(page.events), ["left"]);
  client.close();
});

Deno.test("what a page adds to a batch that another page took for left isn't lost with it", async () => {
  const first = startVisit({ flushInterval: 3_600_000 });
  const { browser } = first;
  first.client.step("a");
  await browser.advance(1000);
  browser.setNow(browser.now() + 60_000); // its lease seems to be over
  browser.respond("hang");
  const second = startVisit({}, { browser });
  await browser.advance(3000);
  first.client.step("b");
  await browser.advance(1000);
  first.page.crash();

  browser.respond({ status: 202 });
  await browser.advance(90_000);

  assertEquals([namesOf(second.page.events), savedNames(browser)], [["a", "a", "b"], []]);
  second.client.close();
});

Deno.test("pages with another key or endpoint leave alone what a page left, those with its own don't", async () => {
  const browser = createTestBrowser();
  await leave(browser);
  const strangers = [{ apiKey: "pk_2" }, { endpoint: "https://b.example/" }].map((each) =>
    startVisit(each, { browser })
  );
  await browser.advance(60_000);
  const before = strangers.flatMap(({ page }) => page.requests);

  const { page, client } = startVisit({}, { browser });
  await browser.advance(3000);

  assertEquals([before, namesOf(page.events)], [[], ["left"]]);
  for (const each of [client, ...strangers.map((stranger) => stranger.client)]) each.close();
});

Deno.test("a page with another key looks without keeping what it saved under its former one to itself", async () => {
  const browser = createTestBrowser();
  const { vendor } = openPage({ browser });
  vendor.init({ apiKey: "pk_test" });
  browser.respond({ status: 503 });
  vendor.step("left");
  vendor.init({ apiKey: "pk_2" });
  await browser.advance(60_000);
  browser.respond({ status: 202 });

  browser.goOffline();
  browser.goOnline();
  await browser.advance(2000);
  const next = startVisit({ apiKey: "pk_test" }, { browser });
  await browser.advance(10_000);

  assertEquals(namesOf(next.page.events), ["left"]);
  for (const each of [vendor, next.client]) each.close();
});

Deno.test("pending doesn't touch what a page left, and granted sends it", async () => {
  const browser = createTestBrowser();
  await leave(browser);
  const { page, client } = startVisit({ consent: "pending" }, { browser });
  await browser.advance(60_000);
  const before = [page.requests.length, page.touched.storage];

  client.setConsent("granted");
  await browser.advance(1000);

  assertEquals([before, namesOf(page.events)], [[0, 0], ["left"]]);
  client.close();
});

/** Opens a page that tracks an event and goes; the ingest fails at it, and from then on accepts. */
async function leave(browser: TestBrowser): Promise<Visit> {
  const visit = startVisit({}, { browser });
  browser.respond({ status: 503 });
  visit.client.step("left", PROPERTIES);
  visit.page.close();
  await browser.settle();
  browser.respond({ status: 202 });
  return visit;
}

Deno.test("a page that passes through an outage loses nothing of what two tabs left, more than it may save", async () => {
  const browser = createTestBrowser();
  browser.goOffline();
  const tabs = [0, 1].map((tab) => ({ tab, ...startVisit({}, { browser }) }));
  for (const { tab, client, page } of tabs) {
    for (let i = 0; i < 100; i++) client.step(`${tab}.${i}`, { text: "x".repeat(8700) });
    await browser.advance(2000);
    page.close();
  }
  const { page } = startVisit({}, { browser });
  await browser.advance(60_000);
  page.close();

  browser.goOnline();
  startVisit({}, { browser });
  await browser.advance(120_000);

  assertEquals([new Set(namesOf(browser.events)).size, savedNames(browser)], [200, []]);
});

Deno.test("what many pages left is taken over in parts, in time in proportion", async () => {
  const { account } = resolveConfig({ apiKey: "pk_test" });
  const text = JSON.stringify({
    timestamp: "2026-01-01T00:00:00.000Z",
    sessionId: "s",
    identity: {},
    context: { sdkVersion: "0.1.0" },
  });
  const ids = Array.from({ length: 1000 }, () => crypto.randomUUID());
  const storage = Object.fromEntries(ids.map((id) => [`vendor.sdk.outbox.3.${account}.${id}.${id}`, text]));
  const browser = createTestBrowser({ storage });
  browser.goOffline();
  const { page, vendor } = openPage({ browser });
  const { environment } = page;
  const { storage: { get }, setTimer } = environment;
  let reads = 0;
  let most = 0;
  environment.storage.get = (key) => (reads++, get(key));
  environment.setTimer = (callback, delayMs) =>
    setTimer(() => {
      const before = reads;
      callback();
      most = Math.max(most, reads - before);
    }, delayMs);

  vendor.init({ apiKey: "pk_test" });
  await browser.advance(5000);

  assertEquals(entryKeys(browser).filter((key) => ids.some((id) => key.endsWith(id))), []);
  assertEquals([most < 300, reads < 4000], [true, true], `${most} reads in a task, ${reads} in all`);
});

Deno.test("a page that left something for the key of before is still known to live by another page", async () => {
  const { browser, page, vendor } = openPage();
  browser.respond({ status: 503 });
  vendor.init({ apiKey: "before" });
  vendor.step("left");
  await browser.advance(6000);
  vendor.init({ apiKey: "pk_test" });
  vendor.step("own");
  await browser.advance(6000);

  const other = startVisit({}, { browser });
  other.client.step("other's"); // its lease makes the first page look at what is left
  await browser.advance(20_000);

  const sent = [page, other.page].map(({ requests }) => new Set(requests.map(({ body }) => body.events[0]?.name)));
  assertEquals(sent, [new Set(["left", "own"]), new Set(["other's"])]);
});
