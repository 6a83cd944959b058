import { assertEquals } from "@std/assert";
import { createVendor, openPage, warningsOf } from "../support/visit.ts";

Deno.test("init(): a denial holds where the page can't be heard any more", async () => {
  const { browser, page } = openPage();
  let fails = false;
  const vendor = createVendor({
    ...page.environment,
    listen(listeners) {
      if (fails) throw new Error("replaced");
      return page.environment.listen(listeners);
    },
  });
  vendor.init({ apiKey: "pk" });
  vendor.step("a");
  await browser.settle();
  fails = true;

  vendor.init({ apiKey: "pk", consent: "denied" });
  await browser.advance(60_000);

  assertEquals([page.requests, [...browser.storage.keys()], warningsOf(page).length], [[], [], 1]);
});

for (const isPrerendering of [false, true]) {
  Deno.test(`init(): what failed does nothing, and can still be denied, prerendered: ${isPrerendering}`, async () => {
    const { browser, page } = openPage({ isPrerendering });
    browser.storage.set("vendor.sdk.visitor", "of an earlier visit");
    let fails = true;
    const vendor = createVendor({
      ...page.environment,
      referrer() {
        if (fails) throw new Error("replaced");
        return "";
      },
    });
    vendor.init({ apiKey: "pk", trackPageviews: true });
    if (isPrerendering) page.activate();
    await browser.settle();
    fails = false;
    page.pushState("/b");
    vendor.step("a");
    await browser.advance(60_000);
    const before = [page.requests.length, warningsOf(page).length];

    vendor.setConsent("denied");
    vendor.setConsent("granted");
    vendor.step("b");
    await browser.advance(60_000);

    assertEquals([before, page.requests, [...browser.storage.keys()]], [[0, 1], [], []]);
  });
}

Deno.test("init(): what failed says of a call that nothing is collected, not that consent is granted", async () => {
  const { browser, page } = openPage();
  const vendor = createVendor({
    ...page.environment,
    listen() {
      throw new Error("replaced");
    },
  });

  vendor.init({ apiKey: "pk", debug: true });
  vendor.step("a");
  await browser.settle();

  assertEquals(page.logs.at(-1)?.message, "[Vendor] step() ignored: nothing is collected");
});

for (const replaced of ["randomId", "now", "setTimer"] as const) {
  Deno.test(`close() throws nothing where the page has replaced what ${replaced}() takes, and ends the client`, async () => {
    const { browser, page } = openPage();
    let isReplaced = false;
    const fail = (): never => {
      throw new Error("mine");
    };
    const { environment } = page;
    const vendor = createVendor({
      ...environment,
      [replaced]: (...given: readonly never[]) =>
        isReplaced ? fail() : (environment[replaced] as (...given: readonly never[]) => unknown)(...given),
    });
    vendor.init({ apiKey: "pk" });
    vendor.step("a");
    isReplaced = true;

    vendor.close();

    isReplaced = false;
    const { length } = page.requests;
    vendor.step("b");
    page.hide();
    await browser.advance(60_000);
    assertEquals([page.requests.length, warningsOf(page).length], [length, 1]);
  });
}
