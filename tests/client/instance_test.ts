import { assertEquals } from "@std/assert";
import { createClient } from "../../src/client/mod.ts";
import { createInstance } from "../../src/client/instance.ts";
import { EXIT_LEASE_MS } from "../../src/client/base/limits.ts";
import { createTestBrowser } from "../../src/testing/mod.ts";
import { namesOf, openPage, startVisit, warningsOf } from "../support/visit.ts";

Deno.test("before init() each method warns once, keeps nothing and touches nothing", async () => {
  const { browser, page, vendor } = openPage();
  const { touched } = page;

  for (let i = 0; i < 2; i++) {
    vendor.step("a");
    vendor.identify("user-1");
    vendor.reset();
    vendor.page();
    vendor.setConsent("granted");
    assertEquals(await vendor.flush(), undefined);
  }
  assertEquals([vendor.getConsent(), page.touched], ["pending", touched]);
  vendor.init({ apiKey: "pk", consent: "pending" });
  vendor.setConsent("granted");
  vendor.step("b");
  await browser.advance(5000);

  const warned = warningsOf(page).map((message) => /(\w+)\(\)/.exec(message)?.[1]);
  assertEquals(warned, ["step", "identify", "reset", "page", "setConsent", "flush"]);
  assertEquals(page.events.map(({ name, identity }) => [name, identity?.userId]), [["b", null]]);
});

Deno.test("every method works unbound", async () => {
  const { browser, page, vendor } = openPage();
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
});

Deno.test("no call throws or rejects, whatever it is handed, in any state", async () => {
  const fail = (): never => {
    throw new Error("hostile");
  };
  const throwing = new Proxy({}, { get: fail, has: fail, ownKeys: fail, getPrototypeOf: fail });
  const values = [undefined, null, 0, NaN, 1n, "", "x", true, Symbol("s"), [], {}, () => {}, throwing];
  const { browser, vendor } = openPage();
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
  for (const consent of ["pending", "granted", "denied"] as const) {
    vendor.init({ apiKey: "pk", trackPageviews: "auto", consent });
    await call();
  }
  vendor.close();
  await call();

  assertEquals(new Set(returned), new Set([undefined]));
});

Deno.test("a second init() forgets the user, and keeps visitor and session", async () => {
  const { browser, page, vendor } = openPage();
  vendor.init({ apiKey: "pk" });
  vendor.identify("user-1");
  vendor.step("a");

  vendor.init({ apiKey: "pk" });
  vendor.step("b");
  await browser.advance(5000);

  const [a, b] = page.events;
  assertEquals([a?.identity?.userId, b?.identity?.userId], ["user-1", null]);
  assertEquals([b?.identity?.anonymousId, b?.sessionId], [a?.identity?.anonymousId, a?.sessionId]);
});

Deno.test("many init() calls leave one listener of each, and close() none", async () => {
  const browser = createTestBrowser();
  const { environment } = browser.open("https://shop.example/");
  let listeners = 0;
  const count = (): () => void => {
    listeners++;
    return () => void listeners--;
  };
  const vendor = createInstance({ ...environment, listen: count, listenToStorage: count });

  for (let i = 0; i < 20; i++) {
    vendor.init({ apiKey: `pk_${i}`, trackPageviews: true });
    await browser.settle();
  }
  assertEquals(listeners, 2);
  vendor.close();
  await browser.advance(60_000);

  assertEquals(listeners, 0);
});

Deno.test("close() sends what is queued, and afterwards each method warns as before init()", async () => {
  const { browser, page, vendor } = openPage();
  vendor.init({ apiKey: "pk", trackPageviews: true });
  vendor.step("a");

  vendor.close();
  page.pushState("/cart");
  vendor.step("b");
  await browser.advance(600_000);

  assertEquals([page.requests.length, namesOf(page.events)], [1, ["$pageview", "a"]]);
  assertEquals(warningsOf(page), ["[Vendor] step() ignored: call init() first"]);
});

Deno.test("close() tries nothing again: what is left is another page's once its lease ends", async () => {
  const { browser, page, vendor } = openPage();
  browser.respond({ status: 503 });
  vendor.init({ apiKey: "pk" });
  vendor.step("a");
  vendor.close();
  await browser.advance(EXIT_LEASE_MS);
  browser.respond({ status: 202 });

  const next = startVisit({ apiKey: "pk" }, { browser });
  await browser.advance(1000);

  assertEquals([page.requests.length, namesOf(next.page.events)], [1, ["a"]]);
});

Deno.test("createClient() makes clients apart from each other, without init()", async () => {
  const browser = createTestBrowser();
  const { environment, requests } = browser.open("https://shop.example/");
  const one = createClient({ apiKey: "pk_1" }, environment);
  const two = createClient({ apiKey: "pk_2", consent: "pending" }, environment);

  one.step("a");
  two.step("b");
  await browser.advance(5000);

  assertEquals(["init" in one, one.getConsent(), two.getConsent()], [false, "granted", "pending"]);
  assertEquals(requests.map(({ headers }) => headers["X-API-Key"]), ["pk_1"]);
});
