import { assertEquals } from "@std/assert";
import type { InitConfig } from "../src/client.ts";
import { createInstance, type Instance } from "../src/instance.ts";
import { createTestBrowser, type TestBrowser, type TestPage } from "../src/testing/mod.ts";
import { at, namesOf, PAGE_URL, startVisit, urlsOf } from "./support/visit.ts";

Deno.test("a second init() with the same key and endpoint doesn't record the view again", async () => {
  const { browser, page, vendor } = await startTwice({ apiKey: "pk", trackPageviews: true }, {
    apiKey: "pk",
    trackPageviews: true,
  });

  await browser.advance(5000);

  assertEquals(namesOf(page.events), ["$pageview"]);
  vendor.close();
});

Deno.test("a second init() in the same task doesn't record the view again", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/teas");
  const vendor = createInstance(page.environment);
  vendor.init({ apiKey: "pk", trackPageviews: true });
  vendor.init({ apiKey: "pk", trackPageviews: true });

  await browser.advance(5000);

  assertEquals(namesOf(page.events), ["$pageview"]);
  vendor.close();
});

Deno.test("a second init() with the same account doesn't record a view again in another form", async () => {
  const { browser, page, vendor } = await startTwice(
    { apiKey: "pk", trackPageviews: "auto", consent: "pending" },
    { apiKey: "pk", trackPageviews: true, consent: "pending" },
  );

  vendor.setConsent("granted");
  await browser.advance(5000);

  assertEquals(page.events.length, 1);
  vendor.close();
});

Deno.test("a second init() while pending leaves the aggregate to be recorded in full once consent is granted", async () => {
  const { browser, page, vendor } = await startTwiceOffline({});

  vendor.setConsent("granted");
  browser.goOnline();
  await browser.advance(5000);

  assertEquals(page.events.map(({ identity }) => identity?.userId), [null]);
  vendor.close();
});

for (const next of [{ consent: "granted" }, { trackPageviews: false, consent: "pending" }] as const) {
  Deno.test(`after a second init() with ${JSON.stringify(next)} the aggregate leaves as it is`, async () => {
    const { browser, page, vendor } = await startTwiceOffline(next);

    vendor.setConsent("granted");
    browser.goOnline();
    await browser.advance(5000);

    assertEquals(page.events.map(({ identity }) => identity), [undefined]);
    vendor.close();
  });
}

Deno.test("a second init() with another key records the view for it", async () => {
  const { browser, page, vendor } = await startTwice({ apiKey: "pk", trackPageviews: true }, {
    apiKey: "other",
    trackPageviews: true,
  });

  await browser.advance(5000);

  assertEquals(page.requests.map(({ headers }) => headers["X-API-Key"]), ["pk", "other"]);
  assertEquals(namesOf(page.events), ["$pageview", "$pageview"]);
  vendor.close();
});

Deno.test("a second init() with another endpoint records the view there", async () => {
  const { browser, page, vendor } = await startTwice({ apiKey: "pk", trackPageviews: true }, {
    apiKey: "pk",
    endpoint: "https://other.example/v1/events",
    trackPageviews: true,
  });

  await browser.advance(5000);

  assertEquals(page.requests.length, 2);
  assertEquals(at(page.requests, 1).url, "https://other.example/v1/events");
  vendor.close();
});

Deno.test("a second init() that turns pageviews on records the current page", async () => {
  const { browser, page, vendor } = await startTwice({ apiKey: "pk" }, { apiKey: "pk", trackPageviews: true });

  await browser.advance(5000);

  assertEquals(urlsOf(page.events), ["https://shop.example/teas"]);
  vendor.close();
});

Deno.test("a second init() that turns pageviews on again records the page that changed meanwhile", async () => {
  const { browser, page, vendor } = await startTwice({ apiKey: "pk", trackPageviews: true }, { apiKey: "pk" });
  page.pushState("/cart");
  await browser.settle();

  vendor.init({ apiKey: "pk", trackPageviews: true });
  await browser.advance(5000);

  assertEquals(urlsOf(page.events), ["https://shop.example/teas", "https://shop.example/cart"]);
  vendor.close();
});

Deno.test("a second init() on another page records that page", async () => {
  const { browser, page, vendor } = await startTwice({ apiKey: "pk", trackPageviews: true }, {
    apiKey: "pk",
    trackPageviews: true,
  });
  page.pushState("/cart");
  vendor.init({ apiKey: "pk", trackPageviews: true });

  await browser.advance(5000);

  assertEquals(urlsOf(page.events), ["https://shop.example/teas", "https://shop.example/cart"]);
  vendor.close();
});

Deno.test("a second init() keeps the open view of the first, with the first key", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/teas");
  const vendor = createInstance(page.environment);
  vendor.init({ apiKey: "pk", trackPageviews: true });

  vendor.init({ apiKey: "other" });
  await browser.advance(5000);

  assertEquals(page.requests.map(({ headers, body }) => [headers["X-API-Key"], namesOf(body.events)]), [
    ["pk", ["$pageview"]],
  ]);
  vendor.close();
});

Deno.test("prerendering: nothing is stored, sent or shown until the page is", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: true }, { isPrerendering: true });

  client.step("a");
  await browser.advance(60_000);

  const { storage } = page.touched;
  assertEquals([page.requests.length, storage, browser.storage.size], [0, 0, 0]);
  client.close();
});

Deno.test("prerendering: calls wait with their own timestamps, and all happens on activation", async () => {
  const { browser, page, client, accepted } = startVisit({ trackPageviews: true }, { isPrerendering: true });
  client.identify("user-1");
  client.step("a");
  await browser.advance(7000);

  page.activate();

  const events = await accepted();
  const byName = new Map(events.map(({ name, timestamp, identity }) => [name, [timestamp, identity?.userId]]));
  assertEquals(byName.get("a"), ["2026-01-01T00:00:00.000Z", "user-1"]);
  assertEquals(byName.get("$pageview")?.[0], "2026-01-01T00:00:07.000Z");
  client.close();
});

Deno.test("prerendering: page() and a change of the URL after it count each page once", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: true }, { isPrerendering: true });
  client.page();
  page.replaceState("/teas?sort=price");
  page.activate();
  await browser.settle();

  page.replaceState("/teas?sort=price"); // changes nothing
  page.pushState("/coffees");
  await browser.advance(10_000);

  assertEquals(urlsOf(page.events).toSorted(), [
    "https://shop.example/coffees",
    "https://shop.example/teas",
    "https://shop.example/teas?sort=price",
  ]);
  client.close();
});

Deno.test("prerendering: page() of another URL leaves the referrer of the page to its events", async () => {
  const options = { isPrerendering: true, referrer: "https://search.example/" };
  const { browser, page, client } = startVisit({ trackPageviews: true }, options);
  client.page();
  page.replaceState("/teas?sort=price");
  page.activate();
  await browser.settle();

  client.step("here");
  await browser.advance(10_000);

  const referrers = new Map(page.events.map(({ name, context }) => [name + context?.pageUrl, context?.referrer]));
  assertEquals(referrers.get("$pageviewhttps://shop.example/teas?sort=price"), "https://search.example/");
  assertEquals(referrers.get("herehttps://shop.example/teas?sort=price"), "https://search.example/");
  client.close();
});

Deno.test("prerendering: consent denied meanwhile, nothing ever leaves", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: true }, { isPrerendering: true });
  client.step("a");

  client.setConsent("denied");
  page.activate();
  client.setConsent("granted");
  await browser.advance(5000);

  assertEquals(namesOf(page.events).filter((name) => name === "a"), []);
  client.close();
});

Deno.test("prerendering: consent granted meanwhile, the load is recorded in full", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: "auto", consent: "pending" }, {
    isPrerendering: true,
  });

  client.setConsent("granted");
  page.activate();
  await browser.advance(5000);

  assertEquals(page.events.map(({ identity }) => !!identity), [true]);
  client.close();
});

Deno.test("prerendering: what waited long before leaves with what follows, a flush interval later", async () => {
  const { browser, page, client } = startVisit({}, { isPrerendering: true });
  client.step("early");
  await browser.advance(120_000);

  page.activate();
  await browser.advance(1000);
  client.step("late");
  await browser.advance(5000);

  assertEquals(page.requests.map(({ body }) => body.events.length), [2]);
  client.close();
});

Deno.test("prerendering: a page that is never shown sends nothing", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: "auto" }, { isPrerendering: true });
  client.step("a");

  page.close();
  await browser.advance(60_000);

  assertEquals([page.requests.length, browser.storage.size], [0, 0]);
});

Deno.test("prerendering: a client closed meanwhile does nothing on activation", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: true }, { isPrerendering: true });
  client.step("a");
  client.close();

  page.activate();
  await browser.advance(60_000);

  assertEquals([page.requests.length, browser.storage.size], [0, 0]);
});

interface Twice {
  readonly browser: TestBrowser;
  readonly page: TestPage;
  readonly vendor: Instance;
}

/** Calls init() twice, with time for the page to be recorded before and between. */
async function startTwice(first: InitConfig, second: InitConfig): Promise<Twice> {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/teas");
  const vendor = createInstance(page.environment);
  vendor.init(first);
  await browser.settle();
  vendor.init(second);
  await browser.settle();
  return { browser, page, vendor };
}

Deno.test("prerendering: what the page's own listener of the activation calls isn't lost, nor out of order", async () => {
  const browser = createTestBrowser();
  const page = browser.open(PAGE_URL, { isPrerendering: true });
  const vendor = createInstance(page.environment);
  page.environment.whenActive(() => {
    vendor.identify("user-1");
    vendor.step("activated");
    vendor.init({ apiKey: "pk_new" });
  });
  vendor.init({ apiKey: "pk_old" });
  vendor.step("waiting");

  page.activate();
  vendor.step("after");
  await browser.advance(5000);

  const sent = page.requests.map(({ headers, body }) => [headers["X-API-Key"], ...body.events.map(({ name }) => name)]);
  assertEquals(sent, [["pk_old", "waiting", "activated"], ["pk_new", "after"]]);
  assertEquals(page.events.map(({ identity }) => identity?.userId), [null, "user-1", null]);
  vendor.close();
});

/** Starts with an aggregate pageview that can't leave, and once more. */
async function startTwiceOffline(next: Partial<InitConfig>): Promise<Twice> {
  const browser = createTestBrowser();
  browser.goOffline();
  const page = browser.open("https://shop.example/teas");
  const vendor = createInstance(page.environment);
  const config: InitConfig = { apiKey: "pk", trackPageviews: "auto", consent: "pending" };
  vendor.init(config);
  await browser.advance(1000);
  vendor.init({ ...config, ...next });
  return { browser, page, vendor };
}

Deno.test("a second init() with the same account doesn't record a page with a query again", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/teas?sort=price#green");
  const vendor = createInstance(page.environment);
  vendor.init({ apiKey: "pk", trackPageviews: true });
  await browser.settle();

  vendor.init({ apiKey: "pk", trackPageviews: true });
  await browser.advance(5000);

  assertEquals(namesOf(page.events), ["$pageview"]);
  vendor.close();
});

Deno.test("a second init() that turns pageviews on doesn't record a page that page() recorded", async () => {
  const browser = createTestBrowser();
  const page = browser.open(PAGE_URL);
  const vendor = createInstance(page.environment);
  vendor.init({ apiKey: "pk" });
  vendor.page();

  vendor.init({ apiKey: "pk", trackPageviews: true });
  await browser.advance(5000);

  assertEquals(namesOf(page.events), ["$pageview"]);
  vendor.close();
});

Deno.test("prerendering: consent withdrawn to pending meanwhile, no step and no page() is recorded", async () => {
  const { browser, page, client } = startVisit({}, { isPrerendering: true });
  client.step("a");
  client.page();
  client.setConsent("pending");

  page.activate();
  await browser.advance(60_000);

  assertEquals([page.requests, browser.storage.size, client.drops()], [[], 0, {}]);
  client.close();
});

for (const trackPageviews of [true, "auto"] as const) {
  Deno.test(`prerendering: a client closed meanwhile hears nothing after activation, with ${trackPageviews}`, async () => {
    const browser = createTestBrowser();
    const page = browser.open(PAGE_URL, { isPrerendering: true });
    let listeners = 0;
    const vendor = createInstance({ ...page.environment, listen: () => (listeners++, () => {}) });
    vendor.init({ apiKey: "pk", trackPageviews });
    vendor.close();

    page.activate();
    await browser.advance(60_000);

    assertEquals([page.requests, listeners], [[], 0]);
  });
}

Deno.test("prerendering: consent that is granted meanwhile touches nothing before the page is shown", () => {
  const { browser, page, client } = startVisit({ trackPageviews: "auto", consent: "pending" }, {
    isPrerendering: true,
  });

  client.setConsent("granted");

  assertEquals([browser.storage.size, page.touched.storage, page.touched.title, client.getConsent()], [
    0,
    0,
    0,
    "granted",
  ]);
  client.close();
});
