import { assertEquals, assertThrows } from "@std/assert";
import { namesOf, urlsOf } from "../support/visit.ts";
import { CONFIG, START_MS, whileLoading } from "./loading.ts";

const STORED = "00000000-0000-4000-8000-0000000000aa";

Deno.test("while pending the loader keeps no step, no page and no query", () =>
  whileLoading(async (loading) => {
    const { vendor, page, wait, load } = loading;
    vendor.init({ ...CONFIG, trackPageviews: "auto", consent: "pending" });
    vendor.step("secret", { a: 1 });
    vendor.page();
    vendor.reset();
    vendor.identify("user", { plan: "pro" });
    await wait(10);

    assertEquals(JSON.parse(loading.kept).map(([method]: [string]) => method), ["init", "reset", "identify"]);
    assertEquals(/secret|sort=price/.test(loading.kept), false);
    load();
    await wait(5000);
    const { storage, url, title, screen } = page.touched;
    assertEquals({ storage, url, title, screen }, { storage: 0, url: 0, title: 0, screen: 0 });
    assertEquals(urlsOf(page.events), ["https://shop.example/teas"]);
    assertEquals(page.events[0]?.timestamp, new Date(START_MS).toISOString());
    assertEquals(page.events[0]?.identity, undefined);
  }));

Deno.test("a grant in the queue counts from then on, with the time and URL of the grant", () =>
  whileLoading(async ({ vendor, page, wait, go, load }) => {
    vendor.init({ ...CONFIG, trackPageviews: "auto", consent: "pending" });
    vendor.identify("user");
    vendor.step("too early");
    await wait(1000);
    go("/cart?step=1");
    await wait(1000);
    vendor.setConsent("granted");
    vendor.step("after");
    await wait(1000);
    load();
    await wait(5000);

    assertEquals(namesOf(page.events), ["$pageview", "$pageview", "after"]);
    assertEquals(urlsOf(page.events), [
      "https://shop.example/teas",
      "https://shop.example/cart?step=1",
      "https://shop.example/cart?step=1",
    ]);
    assertEquals(page.events.map(({ timestamp }) => Date.parse(timestamp) - START_MS), [0, 2000, 2000]);
    assertEquals(page.events.map(({ identity }) => identity?.userId), [undefined, "user", "user"]);
  }));

Deno.test("an init() that fails lets nothing out that the one before it doesn't cover", () =>
  whileLoading(async ({ vendor, page, wait, load }) => {
    vendor.init({ ...CONFIG, trackPageviews: "auto", consent: "pending" });
    vendor.init({ ...CONFIG, endpoint: "http://shop.example/events" });
    vendor.step("secret");

    assertThrows(load, Error, "Endpoint must use https://");
    await wait(5000);
    assertEquals(page.touched.storage, 0);
    assertEquals(urlsOf(page.events), ["https://shop.example/teas"]);
  }));

Deno.test("a denial in the queue forgets what came before, and erases what is stored", () =>
  whileLoading(async (loading) => {
    const { vendor, browser, page, wait, load } = loading;
    browser.storage.set("vendor.sdk.visitor", STORED);
    vendor.init({ ...CONFIG, trackPageviews: true });
    vendor.identify("user");
    vendor.step("secret");
    vendor.setConsent("denied");
    vendor.step("ignored");
    vendor.identify("ignored");

    assertEquals(/secret|sort=price|user|ignored/.test(loading.kept), false);
    load();
    await wait(5000);
    assertEquals(page.requests, []);
    assertEquals([...browser.storage.keys()], []);
    assertEquals(loading.vendor.getConsent(), "denied");
  }));

Deno.test("a grant after a denial begins with a new, anonymous visitor", () =>
  whileLoading(async ({ vendor, browser, page, wait, load }) => {
    browser.storage.set("vendor.sdk.visitor", STORED);
    vendor.init(CONFIG);
    vendor.identify("user");
    vendor.step("forgotten");
    vendor.setConsent("denied");
    vendor.setConsent("pending");
    vendor.setConsent("granted");
    vendor.step("kept");
    load();
    await wait(5000);

    assertEquals(namesOf(page.events), ["kept"]);
    assertEquals(page.events[0]?.identity?.userId, null);
    assertEquals(page.events[0]?.identity?.anonymousId === STORED, false);
  }));

Deno.test("a withdrawal in the queue forgets what came before but the user, and touches nothing", () =>
  whileLoading(async (loading) => {
    const { vendor, page, wait, go, load } = loading;
    vendor.init({ ...CONFIG, trackPageviews: "auto" });
    vendor.identify("user");
    vendor.step("secret");
    vendor.setConsent("pending");
    await wait(1000);

    assertEquals(/secret|sort=price/.test(loading.kept), false);
    load();
    await wait(5000);
    assertEquals(page.touched.storage, 0);
    assertEquals(urlsOf(page.events), ["https://shop.example/teas"]);
    go("/cart");
    loading.vendor.setConsent("granted");
    await wait(5000);
    assertEquals(page.events.at(-1)?.identity?.userId, "user");
  }));

Deno.test("a second init() in the queue decides over what the first one held", () =>
  whileLoading(async (loading) => {
    const { vendor, page, wait, load } = loading;
    vendor.init(CONFIG);
    vendor.step("secret");
    vendor.init({ ...CONFIG, consent: "denied" });

    assertEquals(loading.kept.includes("secret"), false);
    load();
    await wait(5000);
    assertEquals(page.requests, []);
    assertEquals(page.touched.title + page.touched.screen, 0);
  }));

Deno.test("a getter that denies consent takes its own event along", () =>
  whileLoading(async (loading) => {
    const { vendor, page, wait, load } = loading;
    const hostile = {
      get value() {
        vendor.setConsent("denied");
        return 1;
      },
    };
    vendor.init(CONFIG);
    vendor.step("secret", hostile);

    assertEquals(loading.kept.includes("secret"), false);
    load();
    await wait(5000);
    assertEquals(page.requests, []);
  }));

Deno.test("the loader keeps the user through a return to pending that follows a denial", () =>
  whileLoading(async ({ vendor, page, wait, load }) => {
    vendor.init(CONFIG);
    vendor.setConsent("denied");
    vendor.setConsent("granted");
    vendor.identify("user-42");
    vendor.setConsent("pending");
    vendor.setConsent("granted");
    vendor.step("bought");
    load();
    await wait(5000);

    assertEquals(page.events.map(({ identity }) => identity?.userId), ["user-42"]);
  }));
