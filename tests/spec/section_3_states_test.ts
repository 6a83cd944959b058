import { assertEquals } from "@std/assert";
import { namesOf, only, startVisit, urlsOf } from "../support/visit.ts";

const STORED = {
  "vendor.sdk.visitor": "11111111-1111-4111-8111-111111111111",
  "theme": "dark",
};

Deno.test("SPEC 3 granted: full analytics are enabled", async () => {
  const { client, accepted } = startVisit({ consent: "granted" });

  client.step("a");

  const { name, identity, sessionId, context } = only(await accepted());
  assertEquals([name, !!identity, !!sessionId, !!context], ["a", true, true, true]);
});

Deno.test("SPEC 3 granted: is the default", async () => {
  const { client, accepted } = startVisit({});

  client.step("a");

  assertEquals(namesOf(await accepted()), ["a"]);
});

Deno.test("SPEC 3 and 6 pending: with trackPageviews auto, only aggregate pageviews are collected", async () => {
  const { client, page, accepted } = startVisit({ consent: "pending", trackPageviews: "auto" });

  client.step("a");
  client.page();
  await accepted();

  const { body } = only(page.requests);
  assertEquals(["collection" in body, namesOf(body.events)], [true, ["$pageview"]]);
});

for (
  const [consent, trackPageviews] of [
    ["pending", false],
    ["pending", true],
    ["denied", false],
    ["denied", true],
    ["denied", "auto"],
  ] as const
) {
  Deno.test(`SPEC 3 ${consent}: with trackPageviews ${trackPageviews}, all collection stops`, async () => {
    const { client, page, accepted } = startVisit({ consent, trackPageviews });

    client.step("a");
    client.page();
    client.identify("user-1");
    page.pushState("/cart");
    await accepted();

    assertEquals(page.requests, []);
  });
}

Deno.test("SPEC 3 denied: queued events are discarded", async () => {
  const { client, page, accepted } = startVisit({ trackPageviews: true });

  client.step("a");
  client.setConsent("denied");
  client.setConsent("granted");
  const events = await accepted();

  assertEquals(events, []);
  assertEquals(page.requests, []);
});

Deno.test("SPEC 3 denied: stored SDK identifiers are removed at startup, and nothing else", () => {
  const first = startVisit();
  for (const [key, value] of Object.entries(STORED)) first.browser.storage.set(key, value);

  startVisit({ consent: "denied" }, { browser: first.browser });

  assertEquals([...first.browser.storage], [["theme", "dark"]]);
});

Deno.test("SPEC 3 denied: stored SDK identifiers are removed while running, and nothing else", async () => {
  const { browser, client } = startVisit();
  browser.storage.set("theme", "dark");

  client.step("a");
  await browser.settle();
  const before = browser.storage.size;
  client.setConsent("denied");

  assertEquals([before > 1, [...browser.storage]], [true, [["theme", "dark"]]]);
});

Deno.test("SPEC 3 trackPageviews true: full pageviews only with granted consent", async () => {
  const { client, page, accepted } = startVisit({ trackPageviews: true, consent: "pending" }, {
    url: "https://shop.example/teas?sort=price",
  });
  await accepted();
  const before = page.requests.length;

  client.setConsent("granted");

  assertEquals(before, 0);
  assertEquals(urlsOf(await accepted()), ["https://shop.example/teas?sort=price"]);
});

Deno.test("SPEC 3 trackPageviews auto: aggregate while pending, full after consent is granted", async () => {
  const { client, page, accepted } = startVisit({ trackPageviews: "auto", consent: "pending" });
  await accepted();

  client.setConsent("granted");
  page.pushState("/cart?step=1");
  const events = await accepted();

  assertEquals(events.map(({ identity }) => !!identity), [false, true]);
  assertEquals(urlsOf(events), ["https://shop.example/teas", "https://shop.example/cart?step=1"]);
});

Deno.test("SPEC 3 automatic pageviews: the initial load", async () => {
  const { accepted } = startVisit({ trackPageviews: true });

  assertEquals(urlsOf(await accepted()), ["https://shop.example/teas"]);
});

Deno.test("SPEC 3 automatic pageviews: navigations through pushState, replaceState and popstate", async () => {
  const { browser, page, accepted } = startVisit({ trackPageviews: true });
  await browser.settle();

  page.pushState("/pushed");
  await browser.advance(300);
  page.replaceState("/replaced");
  await browser.settle();
  page.back();

  assertEquals(urlsOf(await accepted()), [
    "https://shop.example/teas",
    "https://shop.example/pushed",
    "https://shop.example/replaced",
    "https://shop.example/teas",
  ]);
});

Deno.test("SPEC 3 automatic pageviews: full ones count a change of the query or the fragment", async () => {
  const { page, accepted } = startVisit({ trackPageviews: true });

  page.pushState("?sort=price");
  page.pushState("#green");

  assertEquals((await accepted()).length, 3);
});
