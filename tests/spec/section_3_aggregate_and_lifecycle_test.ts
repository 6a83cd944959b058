import { assertEquals, assertThrows } from "@std/assert";
import { createInstance } from "../../src/client/instance.ts";
import { createTestBrowser } from "../../src/testing/mod.ts";
import { namesOf, startVisit, urlsOf } from "../support/visit.ts";

const AGGREGATE = { trackPageviews: "auto", consent: "pending" } as const;

Deno.test("SPEC 3 aggregate collection: ignores a pushState that changes only the query string", async () => {
  const { page, accepted } = startVisit(AGGREGATE);

  page.pushState("?sort=price");

  assertEquals(urlsOf(await accepted()), ["https://shop.example/teas"]);
});

Deno.test("SPEC 3 aggregate collection: ignores a pushState that changes only the fragment", async () => {
  const { page, accepted } = startVisit(AGGREGATE);

  page.pushState("#green");

  assertEquals((await accepted()).length, 1);
});

Deno.test("SPEC 3 aggregate collection: ignores a replaceState that changes only query and fragment", async () => {
  const { browser, page, accepted } = startVisit(AGGREGATE);
  await browser.settle();

  page.replaceState("?sort=price#green");

  assertEquals((await accepted()).length, 1);
});

Deno.test("SPEC 3 aggregate collection: ignores a popstate that changes only the fragment", async () => {
  const { page, accepted } = startVisit(AGGREGATE);

  page.goToFragment("#green");
  page.back();

  assertEquals((await accepted()).length, 1);
});

Deno.test("SPEC 3 aggregate collection: counts navigations that change the path", async () => {
  const { browser, page, accepted } = startVisit(AGGREGATE);

  page.pushState("/cart?step=1");
  await browser.advance(300);
  page.replaceState("/thanks");
  page.back();

  assertEquals(urlsOf(await accepted()), [
    "https://shop.example/teas",
    "https://shop.example/cart",
    "https://shop.example/thanks",
    "https://shop.example/teas",
  ]);
});

Deno.test("SPEC 3 second init(): tears down the previous instance", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  const vendor = createInstance(page.environment);
  vendor.init({ apiKey: "pk_1", trackPageviews: true });
  vendor.init({ apiKey: "pk_2", trackPageviews: false });
  await browser.advance(5000);
  const before = page.events.length;

  page.pushState("/cart");
  await browser.advance(5000);

  assertEquals([before, page.events.length], [1, 1]);
});

Deno.test("SPEC 3 second init(): starts a fresh instance with the new configuration", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  const vendor = createInstance(page.environment);
  vendor.init({ apiKey: "pk_1", endpoint: "https://one.example/v1/events" });
  vendor.identify("user-1");

  vendor.init({ apiKey: "pk_2", endpoint: "https://two.example/v1/events", flushInterval: 10 });
  vendor.step("a");
  await browser.advance(10);

  const sent = page.requests.map(({ url, headers, body }) => [url, headers["X-API-Key"], namesOf(body.events)]);
  assertEquals(sent, [["https://two.example/v1/events", "pk_2", ["a"]]]);
  assertEquals(page.events.map(({ identity }) => identity?.userId), [null]);
});

Deno.test("SPEC 3 second init(): one that throws leaves the previous instance as it was", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  const vendor = createInstance(page.environment);
  vendor.init({ apiKey: "pk_1", trackPageviews: true });
  vendor.identify("user-1");

  assertThrows(() => vendor.init({ apiKey: "" }));
  page.pushState("/cart");
  await browser.advance(5000);

  assertEquals(page.requests.map(({ headers }) => headers["X-API-Key"]), ["pk_1"]);
  assertEquals(page.events.map(({ identity }) => identity?.userId), [null, "user-1"]);
});
