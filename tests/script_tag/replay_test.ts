import { assertEquals } from "@std/assert";
import { installGlobal } from "../../src/script_tag/install_global.ts";
import { createHeadlessEnvironment } from "../../src/client/platform/headless.ts";
import { namesOf, urlsOf } from "../support/visit.ts";
import { CONFIG, START_MS, whileLoading } from "./loading.ts";

const FULL = { ...CONFIG, trackPageviews: true };

Deno.test("the replay records each page that a call was made on, and where the visitor is now", () =>
  whileLoading(async ({ vendor, page, wait, go, load }) => {
    vendor.init(FULL);
    await wait(1000);
    go("/teas?sort=name");
    vendor.step("sorted");
    await wait(1000);
    go("/cart");
    page.setTitle("Cart");
    await wait(1000);
    load();
    page.setTitle("Your cart");
    await wait(5000);

    assertEquals(namesOf(page.events), ["$pageview", "$pageview", "sorted", "$pageview"]);
    assertEquals(urlsOf(page.events), [
      "https://shop.example/teas?sort=price",
      "https://shop.example/teas?sort=name",
      "https://shop.example/teas?sort=name",
      "https://shop.example/cart",
    ]);
    assertEquals(page.events.map(({ context }) => context?.referrer), [
      "https://search.example/",
      "https://shop.example/teas?sort=price",
      "https://shop.example/teas?sort=price",
      "https://shop.example/teas?sort=name",
    ]);
    assertEquals(page.events.map(({ timestamp }) => Date.parse(timestamp) - START_MS), [0, 1000, 1000, 3000]);
    // Titles of pages that are gone can't be known any more.
    assertEquals(page.events.map(({ context }) => context?.pageTitle), [undefined, undefined, undefined, "Your cart"]);
  }, { referrer: "https://search.example/", title: "Teas" }));

Deno.test("the replay tells no name and no password of a page", () =>
  whileLoading(async ({ vendor, page, wait, go, load }) => {
    vendor.init(FULL);
    go("https://ada:s3cret@shop.example/teas");
    vendor.step("seen");
    load();
    await wait(5000);

    assertEquals(urlsOf(page.events), [
      "https://shop.example/teas?sort=price",
      "https://shop.example/teas",
      "https://shop.example/teas",
    ]);
  }));

Deno.test("the replay reads the title where the page is still the same", () =>
  whileLoading(async ({ vendor, page, wait, load }) => {
    vendor.init(FULL);
    vendor.step("seen");
    await wait(1000);
    load();
    await wait(5000);

    assertEquals(page.events.map(({ context }) => context?.pageTitle), ["Teas", "Teas"]);
  }, { title: "Teas" }));

Deno.test("the replay takes the first page() on the page of init() for the same view", () =>
  whileLoading(async ({ vendor, page, wait, load }) => {
    vendor.init(FULL);
    vendor.page();
    await wait(1000);
    vendor.page();
    load();
    await wait(5000);

    assertEquals(page.events.map(({ timestamp }) => Date.parse(timestamp) - START_MS), [0, 1000]);
  }));

Deno.test("the loaded SDK is live: time, URL and navigations are those of the page", () =>
  whileLoading(async (loading) => {
    const { vendor, page, wait, go, load } = loading;
    vendor.init(FULL);
    await wait(1000);
    load();
    await wait(1000);
    go("/cart");
    loading.vendor.step("live");
    await wait(5000);

    assertEquals(namesOf(page.events), ["$pageview", "$pageview", "live"]);
    assertEquals(page.events.map(({ timestamp }) => Date.parse(timestamp) - START_MS), [0, 2000, 2000]);
  }));

Deno.test("a file that is loaded twice leaves the SDK that runs alone", () =>
  whileLoading(async (loading) => {
    const { vendor, page, wait, load } = loading;
    vendor.init(FULL);
    load();
    const running = loading.vendor;
    load();
    await wait(5000);

    assertEquals(loading.vendor, running);
    assertEquals(namesOf(page.events), ["$pageview"]);
  }));

Deno.test("the file works without the loader, and in the place of an element", () =>
  whileLoading(async ({ page, wait }) => {
    const scope: Parameters<typeof installGlobal>[0] = { Vendor: { id: "Vendor" } as object };
    installGlobal(scope, page.environment);
    scope.Vendor?.init?.(FULL);
    await wait(5000);

    assertEquals(namesOf(page.events), ["$pageview"]);
    assertEquals(Object.keys(scope.Vendor ?? {}).sort(), [
      "flush",
      "getConsent",
      "identify",
      "init",
      "page",
      "reset",
      "setConsent",
      "step",
    ]);
  }));

Deno.test("queued calls do nothing where there is no page", () =>
  whileLoading(({ vendor, scope, page }) => {
    vendor.init(FULL);
    vendor.step("nowhere");
    installGlobal(scope, createHeadlessEnvironment());

    assertEquals(scope.Vendor?.getConsent?.(), "pending");
    assertEquals(page.requests, []);
    return Promise.resolve();
  }));

Deno.test("queued calls of a prerendered page wait until it's shown", () =>
  whileLoading(async ({ vendor, page, wait, load }) => {
    vendor.init(FULL);
    vendor.step("ahead");
    await wait(1000);
    load();
    await wait(5000);
    const before = page.requests.length;
    page.activate();
    await wait(5000);

    assertEquals(before, 0);
    assertEquals(namesOf(page.events), ["ahead", "$pageview"]);
    assertEquals(page.events[0]?.timestamp, new Date(START_MS).toISOString());
  }, { isPrerendering: true }));
