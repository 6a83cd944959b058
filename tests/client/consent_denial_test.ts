import { assertEquals, assertNotEquals } from "@std/assert";
import { addRules } from "../../src/addons/rules/mod.ts";
import { createTestBrowser } from "../../src/testing/mod.ts";
import { createVendor, type Opened, openPage, startVisit } from "../support/visit.ts";
import { refuse } from "../support/refuse.ts";

const EARLIER_VISIT = {
  "vendor.sdk.visitor": "11111111-1111-4111-8111-111111111111",
  "vendor.sdk.session": "22222222-2222-4222-8222-222222222222 1767225600000 1767225600000",
  "vendor.sdk.outbox.3.1.33333333-3333-4333-8333-333333333333.page": "x",
};

const DENIALS = [
  ["setConsent()", ({ vendor }) => vendor.setConsent("denied")],
  ["an init() with the same key", ({ vendor }) => vendor.init({ apiKey: "pk", consent: "denied" })],
  ["an init() with another key", ({ vendor }) => vendor.init({ apiKey: "pk_other", consent: "denied" })],
] satisfies readonly [string, (opened: Opened) => void][];

for (const [what, deny] of DENIALS) {
  Deno.test(`a denial by ${what} in the task of init(): nothing is read, made, written or sent`, async () => {
    let ids = 0;
    const browser = createTestBrowser({ ids: () => `${ids++}`, storage: { ...EARLIER_VISIT, theme: "dark" } });
    const opened = openPage({ browser, title: "Teas", referrer: "https://search.example/" });
    const { page, vendor } = opened;
    const uses: string[] = [];
    for (const name of ["get", "set"] as const) {
      page.environment.storage[name] = (...args: unknown[]) => uses.push(`${name} ${args}`) as never;
    }
    vendor.init({ apiKey: "pk", trackPageviews: true, maxBatchSize: 2 });
    for (let i = 0; i < 5; i++) vendor.step("a"); // two full batches
    const { storage, url, title, screen } = page.touched;
    assertEquals([storage, page.requests], [0, []]);

    deny(opened);
    assertEquals([...browser.storage], [["theme", "dark"]]);
    vendor.step("b");
    vendor.page();
    vendor.identify("user-1");
    page.pushState("/cart");
    await browser.advance(600_000);
    page.close();
    await browser.settle();

    const { touched } = page;
    assertEquals([touched.url, touched.title, touched.screen], [url, title, screen]);
    assertEquals([uses, ids, page.requests, [...browser.storage.keys()]], [[], 0, [], ["theme"]]);
  });

  Deno.test(`a denial by ${what} discards all that waits, aborts and erases in the same task`, async () => {
    const opened = openPage({ title: "Teas" });
    const { browser, page, vendor } = opened;
    browser.respond({ status: 500 });
    vendor.init({ apiKey: "pk", trackPageviews: true, maxBatchSize: 2 });
    vendor.step("fails, and is saved");
    await browser.advance(500);
    browser.respond("hang");
    await browser.advance(500);
    vendor.step("queued");
    vendor.step("queued");
    await browser.advance(1000); // saved, too
    vendor.step("a draft");
    assertEquals(page.requests.map(({ state }) => state), ["answered", "pending"]);
    assertEquals(browser.storage.size, 5);

    deny(opened);
    assertEquals([page.requests.map(({ state }) => state), [...browser.storage]], [["answered", "aborted"], []]);
    browser.respond({ status: 202 });
    await browser.advance(600_000);
    page.close();
    await browser.settle();

    assertEquals([page.requests.length, [...browser.storage]], [2, []]);
  });

  Deno.test(`a denial by ${what} while pending discards aggregates, aborts them and erases what earlier visits left`, async () => {
    const opened = openPage({ browser: createTestBrowser({ storage: { ...EARLIER_VISIT, theme: "dark" } }) });
    const { browser, page, vendor } = opened;
    browser.respond("hang");
    vendor.init({ apiKey: "pk", trackPageviews: "auto", consent: "pending" });
    await browser.advance(5000);
    page.pushState("/cart");
    await browser.settle();

    deny(opened);
    assertEquals([page.requests.map(({ state }) => state), [...browser.storage.keys()]], [["aborted"], ["theme"]]);
    page.pushState("/thanks");
    await browser.advance(600_000);
    page.close();
    await browser.settle();

    assertEquals(page.requests.length, 1);
  });
}

Deno.test("granted -> denied -> granted starts over with new identifiers, anonymous", async () => {
  const { client, accepted } = startVisit();
  client.identify("user-1", { plan: "pro" });
  client.step("a");
  await accepted();

  client.setConsent("denied");
  client.identify("user-2");
  client.setConsent("granted");
  client.step("b");

  const [a, b] = await accepted();
  assertEquals([b?.identity?.userId, b?.identity?.traits], [null, undefined]);
  assertNotEquals(a?.identity?.anonymousId, b?.identity?.anonymousId);
  assertNotEquals(a?.sessionId, b?.sessionId);
});

for (const before of ["granted", "pending"] as const) {
  Deno.test(`${before} -> denied -> pending -> granted forgets who was identified before`, async () => {
    const { client, accepted } = startVisit({ consent: before });
    client.identify("user-1");
    client.setConsent("denied");

    client.setConsent("pending");
    client.setConsent("granted");
    client.step("a");

    assertEquals((await accepted()).map(({ identity }) => identity?.userId), [null]);
  });
}

for (const [consent, storage] of [["granted", EARLIER_VISIT], ["pending", {}]] as const) {
  Deno.test(`init() with ${consent} touches no storage in its own task, whatever is called`, async () => {
    const { browser, page, vendor } = openPage({ browser: createTestBrowser({ storage }) });

    vendor.init({ apiKey: "pk", trackPageviews: "auto", consent, maxBatchSize: 1 });
    vendor.identify("user-1");
    vendor.step("a", { ok: true });
    vendor.step("b");
    vendor.page();
    page.pushState("/cart");
    assertEquals([page.touched.storage, page.requests], [0, []]);
    await browser.settle();

    assertEquals(page.touched.storage > 0, consent === "granted");
  });
}

Deno.test("pending touches no storage, screen, title or full URL, neither to read nor to probe", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: "auto", consent: "pending" }, {
    title: "Teas",
    referrer: "https://search.example/?q=a",
  });

  client.step("a", { ok: true });
  client.identify("user-1", { plan: "pro" });
  client.page();
  client.reset();
  page.pushState("/cart?step=1");
  await browser.advance(60_000);
  page.hide();
  page.show();
  page.freeze();
  page.restore();
  await browser.advance(60_000);
  page.close();

  const { storage, title, screen, url } = page.touched;
  assertEquals({ storage, title, screen, url }, { storage: 0, title: 0, screen: 0, url: 0 });
});

Deno.test("a client that was closed stores nothing after another client's denial", async () => {
  const { browser, page, vendor: closed } = openPage();
  closed.init({ apiKey: "pk", maxBatchSize: 1 });
  const other = createVendor(page.environment);
  other.init({ apiKey: "pk_other" });
  await browser.settle();
  browser.respond(({ text }) => text.includes('"x"') ? { status: 202 } : "hang");
  for (const name of ["x", "y", "z"]) closed.step(name);
  closed.close();
  await browser.settle();

  other.setConsent("denied");
  await browser.advance(3000);

  assertEquals([...browser.storage.keys()], []);
});

Deno.test("a denial by the page's own fetch() ends a drain", async () => {
  const { browser, page } = openPage();
  let sent = 0;
  const vendor = createVendor({
    ...page.environment,
    send(request, onAnswer) {
      if (!sent++) vendor.setConsent("denied");
      return page.environment.send(request, onAnswer);
    },
  });
  vendor.init({ apiKey: "pk", maxBatchSize: 1 });
  await browser.settle();
  for (const name of ["a", "b", "c"]) vendor.step(name);

  page.hide();

  assertEquals(sent, 1);
});

for (const [what, answer] of [["denies", "denied"], ["denies and grants", "granted"]] as const) {
  Deno.test(`no aggregate leaves after the page's own fetch() ${what} in a drain`, async () => {
    const { browser, page } = openPage();
    let isHiding = false;
    const sent: string[] = [];
    const vendor = createVendor({
      ...page.environment,
      send(request, onAnswer) {
        if (isHiding) {
          sent.push(request.body);
          vendor.setConsent("denied");
          vendor.setConsent(answer);
        }
        return page.environment.send(request, onAnswer);
      },
    });
    browser.respond("hang");
    vendor.init({ apiKey: "pk", maxBatchSize: 1, trackPageviews: "auto", consent: "pending" });
    for (const path of ["/a", "/b", "/c"]) {
      await browser.advance(1000);
      page.pushState(path);
    }
    await browser.advance(1000);

    isHiding = true;
    page.hide();
    await browser.advance(60_000);

    assertEquals(sent.length, 1);
  });
}

Deno.test("a denial by the page's own fetch() aborts the request that it is asked for", async () => {
  const { browser, page } = openPage();
  browser.respond("hang");
  const vendor = createVendor({
    ...page.environment,
    send(request, onAnswer) {
      vendor.setConsent("denied");
      return page.environment.send(request, onAnswer);
    },
  });
  vendor.init({ apiKey: "pk" });
  vendor.step("a");

  await vendor.flush();

  assertEquals([page.requests.map(({ state }) => state), [...browser.storage.keys()]], [["aborted"], []]);
});

Deno.test("a denial stops every timer, that of the request that it aborts as well", async () => {
  const { browser, page } = openPage();
  const timers = new Set<() => void>();
  const vendor = createVendor({
    ...page.environment,
    setTimer(callback, delayMs) {
      const fire = (): void => {
        timers.delete(fire);
        callback();
      };
      timers.add(fire);
      const cancel = page.environment.setTimer(fire, delayMs);
      return () => {
        timers.delete(fire);
        cancel();
      };
    },
  });
  browser.respond("hang");
  vendor.init({ apiKey: "pk", maxBatchSize: 1 });
  vendor.step("a");
  await browser.advance(100);

  vendor.setConsent("denied");

  assertEquals([page.requests.map(({ state }) => state), timers.size], [["aborted"], 0]);
});

Deno.test("a denial by a rule of the application holds where the page goes back to pending", async () => {
  const { browser, page, vendor } = openPage();
  vendor.init({ apiKey: "pk", trackPageviews: "auto" });
  await browser.advance(2000);
  const remove = addRules(vendor, (event) => {
    remove();
    vendor.setConsent("denied");
    return event;
  });
  vendor.step("a");

  vendor.setConsent("pending");
  page.pushState("/teas");
  await browser.advance(60_000);

  assertEquals([vendor.getConsent(), page.requests.length, [...browser.storage.keys()]], ["denied", 0, []]);
});

Deno.test("a denial opens no way that a 401 has shut", async () => {
  const { browser, page, vendor } = openPage();
  browser.respond(refuse());
  vendor.init({ apiKey: "pk" });
  vendor.step("a");
  vendor.flush();
  await browser.advance(1000);

  vendor.setConsent("denied");
  vendor.setConsent("granted");
  vendor.step("b");
  vendor.flush();
  await browser.advance(1000);

  assertEquals(page.requests.length, 1);
});
