import { assert, assertEquals } from "@std/assert";
import { createInstance, type Instance } from "../src/instance.ts";
import { createTestBrowser, type TestBrowser, type TestPage } from "../src/testing/mod.ts";
import { namesOf, warningsOf } from "./support/visit.ts";

Deno.test("before init() each method warns once, keeps nothing and touches nothing", async () => {
  const { browser, page, vendor } = open();

  for (let i = 0; i < 2; i++) {
    vendor.step("a");
    vendor.identify("user-1");
    vendor.reset();
    vendor.page();
    vendor.setConsent("granted");
    vendor.flush();
  }
  const { storage, title, screen } = page.touched;
  vendor.init({ apiKey: "pk", consent: "pending" });
  vendor.setConsent("granted");
  vendor.step("b");
  await browser.advance(5000);

  assertEquals([storage, title, screen], [0, 0, 0]);
  const warned = warningsOf(page).map((message) => /(\w+)\(\)/.exec(message)?.[1]);
  assertEquals(warned, ["step", "identify", "reset", "page", "setConsent", "flush"]);
  assertEquals(page.events.map(({ name, identity }) => [name, identity?.userId]), [["b", null]]);
  vendor.close();
});

Deno.test("before init() getConsent() is pending, and setConsent() doesn't change it", () => {
  const { vendor } = open();

  vendor.setConsent("granted");

  assertEquals(vendor.getConsent(), "pending");
});

Deno.test("before init() flush() resolves", async () => {
  const { vendor } = open();

  assertEquals(await vendor.flush(), undefined);
});

Deno.test("every method works unbound", async () => {
  const { browser, page, vendor } = open();
  const { init, step, identify, reset, page: recordPage, setConsent, getConsent, flush } = vendor;

  init({ apiKey: "pk" });
  identify("user-1");
  step("a");
  recordPage();
  reset();
  setConsent("granted");
  ["b", "c"].forEach(step as (name: string) => void);
  flush();
  await browser.settle();

  assertEquals([getConsent(), namesOf(page.events)], ["granted", ["a", "$pageview", "b", "c"]]);
  vendor.close();
});

Deno.test("no call throws or rejects, whatever it is handed, in any state", async () => {
  const values = [undefined, null, 0, NaN, 1n, "", "x", true, Symbol("s"), [], {}, () => {}, new Proxy({}, throwing())];
  const { browser, vendor } = open();
  const returned: unknown[] = [];
  const call = async (): Promise<void> => {
    for (const value of values) {
      for (const other of values) {
        returned.push(vendor.step(value as string, other as object), vendor.identify(value as string, other as object));
      }
      returned.push(vendor.setConsent(value as "granted"));
      const flushed = vendor.flush();
      await browser.advance(30_000);
      returned.push(await flushed);
    }
    returned.push(vendor.reset(), vendor.page());
  };

  await call();
  vendor.init({ apiKey: "pk", trackPageviews: "auto", consent: "pending" });
  await call();
  vendor.setConsent("granted");
  await call();
  vendor.setConsent("denied");
  await call();
  vendor.close();
  await call();

  assertEquals(new Set(returned), new Set([undefined]));
});

Deno.test("a second init() with granted sends what the first held, with the old key and endpoint", async () => {
  const { browser, page, vendor } = open();
  vendor.init({ apiKey: "old", endpoint: "https://old.example/" });
  vendor.step("a");

  vendor.init({ apiKey: "new", endpoint: "https://new.example/" });
  vendor.step("b");
  await browser.advance(5000);

  const sent = page.requests.map(({ url, headers, body }) => [url, headers["X-API-Key"], ...namesOf(body.events)]);
  assertEquals(sent, [["https://old.example/", "old", "a"], ["https://new.example/", "new", "b"]]);
  vendor.close();
});

Deno.test("a second init() with pending makes one drain with the old key, and no retry", async () => {
  const { browser, page, vendor } = open();
  vendor.init({ apiKey: "old" });
  vendor.step("a");
  browser.respond({ status: 503 });

  vendor.init({ apiKey: "new", consent: "pending" });
  await browser.advance(600_000);

  assertEquals(page.requests.map(({ headers }) => headers["X-API-Key"]), ["old"]);
  vendor.close();
});

Deno.test("a second init() with denied discards and erases what the first held", async () => {
  const { browser, page, vendor } = open();
  vendor.init({ apiKey: "old" });
  vendor.step("a");

  vendor.init({ apiKey: "new", consent: "denied" });
  await browser.advance(600_000);
  page.close();

  assertEquals([page.requests, [...browser.storage.keys()]], [[], []]);
});

Deno.test("a second init() forgets the user, and keeps visitor and session", async () => {
  const { browser, page, vendor } = open();
  vendor.init({ apiKey: "pk" });
  vendor.identify("user-1");
  vendor.step("a");

  vendor.init({ apiKey: "pk" });
  vendor.step("b");
  await browser.advance(5000);

  const [a, b] = page.events;
  assertEquals([b?.identity?.userId, b?.identity?.anonymousId, b?.sessionId], [
    null,
    a?.identity?.anonymousId,
    a?.sessionId,
  ]);
  vendor.close();
});

Deno.test("many init() calls leave one listener of each", async () => {
  const { browser, page, vendor } = open();
  for (let i = 0; i < 20; i++) vendor.init({ apiKey: "pk", trackPageviews: true });
  await browser.settle();

  page.pushState("/cart");
  await browser.advance(5000);

  assertEquals(namesOf(page.events), ["$pageview", "$pageview"]);
  vendor.close();
});

Deno.test("close() sends what is queued, and ends listeners and timers", async () => {
  const { browser, page, vendor } = open();
  vendor.init({ apiKey: "pk", trackPageviews: true });
  vendor.step("a");

  vendor.close();
  page.pushState("/cart");
  vendor.step("b");
  await browser.advance(600_000);

  assertEquals(namesOf(page.events), ["$pageview", "a"]);
  assert(page.requests.length === 1);
});

Deno.test("after close() nothing is tried again, and each method warns as before init()", async () => {
  const { browser, page, vendor } = open();
  browser.respond({ status: 503 });
  vendor.init({ apiKey: "pk" });
  vendor.step("a");

  vendor.close();
  vendor.step("b");
  await browser.advance(600_000);

  assertEquals([page.requests.length, vendor.getConsent()], [1, "pending"]);
  assertEquals(warningsOf(page), ["[Vendor] step() ignored: call init() first"]);
});

Deno.test("close() hears nothing more of the page", () => {
  const { page } = open();
  let listeners = 0;
  const vendor = createInstance({
    ...page.environment,
    listen() {
      listeners++;
      return () => void listeners--;
    },
  });
  vendor.init({ apiKey: "pk" });
  const before = listeners;

  vendor.close();

  assertEquals([before, listeners], [1, 0]);
});

Deno.test("what close() couldn't send is another page's after 5 s", async () => {
  const { browser, vendor } = open();
  browser.goOffline();
  vendor.init({ apiKey: "pk" });
  vendor.step("a");
  vendor.close();
  browser.goOnline();

  const next = browser.open("https://shop.example/");
  const other = createInstance(next.environment);
  await browser.advance(6000);
  other.init({ apiKey: "pk" });
  await browser.advance(1000);

  assertEquals(namesOf(next.events), ["a"]);
  other.close();
});

interface Opened {
  readonly browser: TestBrowser;
  readonly page: TestPage;
  readonly vendor: Instance;
}

function open(): Opened {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  return { browser, page, vendor: createInstance(page.environment) };
}

function throwing(): ProxyHandler<object> {
  const fail = (): never => {
    throw new Error("hostile");
  };
  return { get: fail, has: fail, ownKeys: fail, getPrototypeOf: fail };
}
