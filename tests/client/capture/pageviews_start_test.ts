import { assertEquals } from "@std/assert";
import type { InitConfig } from "../../../mod.ts";
import { namesOf, type Opened, openPage, startVisit, urlsOf } from "../../support/visit.ts";

const TEAS = "https://shop.example/teas";
const CART = "https://shop.example/cart";

for (
  const [what, first, between, second, views] of [
    ["with the same account records no view again", { trackPageviews: true }, () => {}, { trackPageviews: true }, [
      TEAS,
    ]],
    ["that turns pageviews on records the page", {}, () => {}, { trackPageviews: true }, [TEAS]],
    ["that turns them on records no page that page() recorded", {}, ({ vendor }) => vendor.page(), {
      trackPageviews: true,
    }, [TEAS]],
    [
      "that turns them on again records the page that changed meanwhile",
      { trackPageviews: true },
      ({ page, vendor }) => {
        vendor.init({ apiKey: "pk" });
        page.pushState("/cart");
      },
      { trackPageviews: true },
      [TEAS, CART],
    ],
    ["with another key records the view for it", { trackPageviews: true }, () => {}, {
      apiKey: "other",
      trackPageviews: true,
    }, [TEAS, TEAS]],
    ["with another endpoint records the view there", { trackPageviews: true }, () => {}, {
      endpoint: "https://other.example/v1/events",
      trackPageviews: true,
    }, [TEAS, TEAS]],
  ] satisfies readonly [string, Partial<InitConfig>, (opened: Opened) => void, Partial<InitConfig>, readonly string[]][]
) {
  Deno.test(`a second init() ${what}`, async () => {
    const opened = openPage();
    const { browser, page, vendor } = opened;
    vendor.init({ apiKey: "pk", ...first });
    await browser.settle();
    between(opened);

    vendor.init({ apiKey: "pk", ...second });
    await browser.advance(5000);

    assertEquals(urlsOf(page.events), [...views]);
  });
}

Deno.test("a second init() in the same task doesn't record a view with a query again", async () => {
  const { browser, page, vendor } = openPage({ url: "https://shop.example/teas?sort=price#green" });
  vendor.init({ apiKey: "pk", trackPageviews: true });

  vendor.init({ apiKey: "pk", trackPageviews: true });
  await browser.advance(5000);

  assertEquals(namesOf(page.events), ["$pageview"]);
});

Deno.test("a second init() leaves the open view of the first to the first key", async () => {
  const { browser, page, vendor } = openPage();
  vendor.init({ apiKey: "pk", trackPageviews: true });

  vendor.init({ apiKey: "other" });
  await browser.advance(5000);

  const sent = page.requests.map(({ headers, body }) => [headers["X-API-Key"], ...namesOf(body.events)]);
  assertEquals(sent, [["pk", "$pageview"]]);
});

for (const consent of ["pending", "granted"] as const) {
  Deno.test(`a second init() with ${consent}: an aggregate that waits becomes full with consent`, async () => {
    const { browser, page, vendor } = openPage();
    browser.goOffline();
    vendor.init({ apiKey: "pk", trackPageviews: "auto", consent: "pending" });
    await browser.advance(1000);

    vendor.init({ apiKey: "pk", trackPageviews: "auto", consent });
    vendor.setConsent("granted");
    browser.goOnline();
    await browser.advance(5000);

    assertEquals(page.events.map(({ identity }) => identity?.userId), [null]);
  });
}

Deno.test("a second init() without pageviews leaves the aggregate that the first recorded", async () => {
  const { browser, page, vendor } = openPage();
  vendor.init({ apiKey: "pk", trackPageviews: "auto", consent: "pending" });

  vendor.init({ apiKey: "pk" });
  await browser.advance(5000);

  assertEquals(page.events.map(({ name, identity }) => [name, identity]), [["$pageview", undefined]]);
});

Deno.test("a second init() doesn't record a view again that was sent in another form", async () => {
  const { browser, page, vendor } = openPage();
  vendor.init({ apiKey: "pk", trackPageviews: "auto", consent: "pending" });
  await browser.advance(5000);

  vendor.init({ apiKey: "pk", trackPageviews: true, consent: "pending" });
  vendor.setConsent("granted");
  await browser.advance(5000);

  assertEquals(page.events.map(({ identity }) => identity), [undefined]);
});

Deno.test("prerendering: calls wait with their own times and user, and all happens on activation", async () => {
  const { browser, page, client, accepted } = startVisit({ trackPageviews: true }, { isPrerendering: true });
  client.identify("user-1");
  client.step("a");
  await browser.advance(7000);
  assertEquals([page.requests, page.touched.storage], [[], 0]);

  page.activate();
  await browser.settle();
  client.identify("user-2");
  client.step("b");

  const events = (await accepted()).map(({ name, timestamp, identity }) => [name, timestamp, identity?.userId]);
  assertEquals(events, [
    ["a", "2026-01-01T00:00:00.000Z", "user-1"],
    ["$pageview", "2026-01-01T00:00:07.000Z", "user-1"],
    ["b", "2026-01-01T00:00:07.000Z", "user-2"],
  ]);
});

Deno.test("prerendering: a page that page() recorded isn't recorded again when it's shown", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: true }, { isPrerendering: true });
  client.page({ template: "list" });

  page.activate();
  await browser.advance(5000);
  page.pushState("/coffees");
  await browser.advance(5000);

  assertEquals(page.events.map(({ context, properties }) => [context?.pageUrl, properties]), [
    ["https://shop.example/teas", { template: "list" }],
    ["https://shop.example/coffees", undefined],
  ]);
});

Deno.test("prerendering: a page whose query changes behind page() is one view, with the URL of the call", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: true }, { isPrerendering: true });
  client.page();
  page.replaceState("/teas?sort=price");

  page.activate();
  await browser.advance(5000);
  page.pushState("/cart");
  await browser.advance(5000);

  assertEquals(page.events.map(({ context }) => [context?.pageUrl, context?.referrer]), [
    [TEAS, undefined],
    [CART, TEAS],
  ]);
});

Deno.test("prerendering: a page whose page() was thrown away is recorded when it's shown", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: true }, { isPrerendering: true });
  client.page();
  client.setConsent("denied");
  client.setConsent("granted");

  page.activate();
  await browser.advance(5000);

  assertEquals(urlsOf(page.events), [TEAS]);
});

for (
  const [what, act] of [
    ["a denial", ({ vendor }) => vendor.setConsent("denied")],
    ["a withdrawal to pending", ({ vendor }) => vendor.setConsent("pending")],
    ["an init() with pending", ({ vendor }) => vendor.init({ apiKey: "pk", consent: "pending" })],
    ["an init() with denied", ({ vendor }) => vendor.init({ apiKey: "other", consent: "denied" })],
  ] satisfies readonly [string, (opened: Opened) => void][]
) {
  Deno.test(`prerendering: ${what} throws away what waited, though consent is granted again`, async () => {
    const opened = openPage({ isPrerendering: true });
    const { browser, page, vendor } = opened;
    vendor.init({ apiKey: "pk" });
    vendor.step("a");
    vendor.page();
    act(opened);
    page.activate();
    await browser.advance(5000);
    assertEquals([page.requests, browser.storage.size, page.touched.title], [[], 0, 2]); // that of each call

    vendor.setConsent("granted");
    vendor.step("b");
    await browser.advance(5000);

    assertEquals(namesOf(page.events), ["b"]);
  });
}

Deno.test("prerendering: consent granted meanwhile touches nothing before the page is shown, which is a full view", async () => {
  const options = { isPrerendering: true };
  const { browser, page, client } = startVisit({ trackPageviews: "auto", consent: "pending" }, options);

  client.setConsent("granted");
  await browser.advance(5000);
  assertEquals([page.touched.storage, page.touched.title, client.getConsent()], [0, 0, "granted"]);
  page.activate();
  await browser.advance(5000);

  assertEquals(page.events.map(({ identity }) => !!identity), [true]);
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
});

for (
  const [what, act] of [
    ["a page that is never shown", ({ page }) => page.close()],
    ["a client that was closed before", ({ page, vendor }) => {
      vendor.close();
      page.activate();
      page.pushState("/cart");
    }],
  ] satisfies readonly [string, (opened: Opened) => void][]
) {
  Deno.test(`prerendering: ${what} sends and stores nothing`, async () => {
    const opened = openPage({ isPrerendering: true });
    opened.vendor.init({ apiKey: "pk", trackPageviews: "auto" });
    opened.vendor.step("a");

    act(opened);
    await opened.browser.advance(60_000);

    assertEquals([opened.page.requests, opened.browser.storage.size], [[], 0]);
  });
}
