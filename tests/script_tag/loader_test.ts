import { assertEquals, assertThrows } from "@std/assert";
import { installLoader } from "../../src/script_tag/loader.ts";
import type { VendorGlobal } from "../../src/script_tag/vendor_global.ts";
import { namesOf, urlsOf, warningsOf } from "../support/visit.ts";
import { CONFIG, START_MS, whileLoading } from "./loading.ts";

Deno.test("the loader keeps calls in order, with the time and URL of each", () =>
  whileLoading(async ({ vendor, page, wait, go, load }) => {
    vendor.init(CONFIG);
    vendor.step("first");
    await wait(1000);
    go("/cart#top");
    vendor.step("second");
    await wait(2000);
    load();
    await wait(5000);

    assertEquals(namesOf(page.events), ["first", "second"]);
    assertEquals(urlsOf(page.events), ["https://shop.example/teas?sort=price", "https://shop.example/cart#top"]);
    assertEquals(page.events.map(({ timestamp }) => Date.parse(timestamp) - START_MS), [0, 1000]);
  }));

Deno.test("the loader copies properties and traits at the call", () =>
  whileLoading(async ({ vendor, page, wait, load }) => {
    const cart = { items: 1, list: [{ sku: "sencha" }], at: new Date(START_MS) };
    const traits = { plan: "pro" };
    vendor.init(CONFIG);
    vendor.identify("user", traits);
    vendor.step("added", cart);
    vendor.page(cart);
    cart.items = 2;
    cart.list.pop();
    traits.plan = "free";
    load();
    await wait(5000);

    const copied = { items: 1, list: [{ sku: "sencha" }], at: new Date(START_MS).toISOString() };
    assertEquals(page.events.map(({ properties }) => properties), [copied, copied]);
    assertEquals(page.events[0]?.identity?.traits, { plan: "pro" });
  }));

Deno.test("the loader keeps a call without properties that it can't copy, and the SDK warns", () =>
  whileLoading(async ({ vendor, page, wait, load }) => {
    const cycle: Record<string, unknown> = { at: 1 };
    cycle.self = cycle;
    vendor.init(CONFIG);
    vendor.step("cyclic", cycle);
    vendor.step("undefined", undefined);
    vendor.step("plain");
    load();
    await wait(5000);

    assertEquals(page.events.map(({ name, properties }) => [name, properties]), [
      ["cyclic", undefined],
      ["undefined", undefined],
      ["plain", undefined],
    ]);
    assertEquals(warningsOf(page).length, 1);
  }));

Deno.test("the loader keeps nothing of a call before init() but that it was made", () =>
  whileLoading(async (loading) => {
    const { vendor, page, wait, load } = loading;
    vendor.step("secret", { card: 1 });
    vendor.setConsent("granted");

    assertEquals(/secret|card|granted|sort=price/.test(loading.kept), false);
    load();
    await wait(5000);
    assertEquals(page.events, []);
    assertEquals(warningsOf(page), [
      "[Vendor] step() ignored: call init() first",
      "[Vendor] setConsent() ignored: call init() first",
    ]);
  }));

Deno.test("the loader answers getConsent() as the SDK would", () =>
  whileLoading(({ vendor, load, scope }) => {
    const before = vendor.getConsent();
    vendor.init({ ...CONFIG, consent: undefined as never });
    const granted = vendor.getConsent();
    vendor.setConsent("pending");
    vendor.setConsent("yes" as "granted");
    const pending = vendor.getConsent();
    load();

    assertEquals([before, granted, pending, scope.Vendor?.getConsent?.()], [
      "pending",
      "granted",
      "pending",
      "pending",
    ]);
    return Promise.resolve();
  }));

Deno.test("the loader holds 10,000 calls, and loses what comes later", () =>
  whileLoading(async ({ vendor, page, wait, load }) => {
    vendor.init(CONFIG);
    for (let index = 1; index <= 10_000; index++) vendor.step(`step ${index}`);
    load();
    await wait(600_000);

    assertEquals([page.events.length, page.events.at(-1)?.name], [9_999, "step 9999"]);
  }));

Deno.test("the loader leaves an SDK that runs alone", () =>
  whileLoading(({ scope, vendor, load }) => {
    installLoader(scope);
    assertEquals(scope.Vendor, vendor);

    load();
    const sdk = scope.Vendor;
    installLoader(scope);
    load();
    assertEquals(scope.Vendor, sdk);
    return Promise.resolve();
  }));

Deno.test("the loader takes no consent from the page's own prototypes", () =>
  whileLoading(async ({ vendor, page, wait, load }) => {
    Object.defineProperty(Object.prototype, "consent", { value: "denied", configurable: true });
    try {
      vendor.init(CONFIG);
      vendor.step("counted");
      load();
      await wait(5000);
    } finally {
      Reflect.deleteProperty(Object.prototype, "consent");
    }

    assertEquals(namesOf(page.events), ["counted"]);
  }));

/** What a page may have under the name `Vendor` before our tag. */
const NAMESAKES: Readonly<Record<string, () => object>> = {
  "an element": () => ({ id: "Vendor" }),
  "a form with fields of our names": () => ({ init: {}, setConsent: {}, queue: {}, done: {} }),
  "an object of the page's own": () => ({
    init: () => {},
    queue: [["step", ["foreign"], START_MS, "https://a.example/"]],
  }),
  "a frame of another origin": () =>
    new Proxy({}, {
      get() {
        throw new DOMException("Blocked a frame from accessing a cross-origin frame.", "SecurityError");
      },
    }),
};

for (const [what, create] of Object.entries(NAMESAKES)) {
  Deno.test(`the loader and the file replace ${what} named Vendor`, () =>
    whileLoading(async ({ scope, page, load, wait }) => {
      for (const install of [() => installLoader(scope), load]) {
        scope.Vendor = create();
        install();
        const vendor = scope.Vendor as VendorGlobal;
        vendor.init(CONFIG);
        vendor.step("counted");
        load();
        await wait(5000);
      }

      assertEquals(namesOf(page.events), ["counted", "counted"]);
    }));
}

Deno.test("the loader gives up with a file that can't be loaded", () =>
  whileLoading(async ({ vendor, fail, scope }) => {
    vendor.init(CONFIG);
    vendor.step("lost");
    const flushed = vendor.flush();
    fail("another-script");
    assertEquals(scope.Vendor?.queue?.length, 2);
    fail();

    await flushed;
    vendor.step("lost too");
    vendor.setConsent("denied");
    await vendor.flush();
    assertEquals(scope.Vendor?.queue, []);
    assertEquals(vendor.getConsent(), "denied");
  }));

Deno.test("the loader's flush() resolves when the SDK has sent what was queued", () =>
  whileLoading(async ({ vendor, page, wait, load }) => {
    vendor.init(CONFIG);
    vendor.step("queued");
    let isFlushed = false;
    vendor.flush().then(() => isFlushed = true);
    await wait(1000);
    const wasFlushed = isFlushed;
    load();
    await wait(0);

    assertEquals([wasFlushed, isFlushed], [false, true]);
    assertEquals(namesOf(page.events), ["queued"]);
  }));

Deno.test("the loader's flush() takes 30 s at most", () =>
  whileLoading(async ({ vendor, wait }) => {
    vendor.init(CONFIG);
    let isFlushed = false;
    vendor.flush().then(() => isFlushed = true);
    await wait(29_999);
    const wasFlushed = isFlushed;
    await wait(1);

    assertEquals([wasFlushed, isFlushed], [false, true]);
  }));

Deno.test("an init() that throws is reported once the file has run, and the SDK goes on", () =>
  whileLoading(async ({ vendor, page, wait, load }) => {
    vendor.init({ apiKey: "" });
    vendor.init({ ...CONFIG, endpoint: "nonsense" });
    vendor.step("between");
    vendor.init(CONFIG);
    vendor.step("after");

    assertThrows(load, Error, "Missing required configuration");
    await wait(5000);
    assertEquals(namesOf(page.events), ["after"]);
  }));

Deno.test("methods taken from the loader work unbound, and reach the SDK once it has loaded", () =>
  whileLoading(async ({ vendor, page, load }) => {
    const { init, step, flush, getConsent } = vendor;
    init(CONFIG);
    step("early");
    load();
    step("late");
    await flush();

    assertEquals(namesOf(page.events), ["early", "late"]);
    assertEquals(getConsent(), "granted");
  }));
