import { assertEquals, assertThrows } from "@std/assert";
import { resolveConfig } from "../../src/config.ts";
import { installLoader, isValid } from "../../src/global/loader.ts";
import type { InitConfig } from "../../src/types.ts";
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

Deno.test("the loader copies properties at the call", () =>
  whileLoading(async ({ vendor, page, wait, load }) => {
    const node = { nodeType: 1, nodeName: "DIV" };
    const cart = {
      node,
      list: [node],
      items: 1,
      seen: new Set(["a"]),
      error: new RangeError("no"),
      big: 10n,
      map: new Map([["k", 1]]),
    };
    vendor.init(CONFIG);
    vendor.step("added", cart);
    cart.items = 2;
    load();
    await wait(5000);

    assertEquals(page.events[0]?.properties, {
      list: [null],
      items: 1,
      seen: ["a"],
      error: { name: "RangeError", message: "no" },
      big: "10",
      map: { k: 1 },
    });
  }));

Deno.test("the loader copies objects that look like lists or DOM nodes", () =>
  whileLoading(async ({ vendor, page, wait, load }) => {
    const video = { length: 95_000, at: 1, node: { nodeType: "leaf", nodeName: "db-1" } };
    vendor.init(CONFIG);
    vendor.step("paused", video);
    video.at = 2;
    load();
    await wait(5000);

    assertEquals(page.events[0]?.properties, { length: 95_000, at: 1, node: { nodeType: "leaf", nodeName: "db-1" } });
  }));

Deno.test("the loader leaves what has no JSON to the SDK", () =>
  whileLoading(async ({ vendor, page, wait, load }) => {
    const cycle: Record<string, unknown> = { at: 1 };
    cycle.self = cycle;
    vendor.init(CONFIG);
    vendor.step("cyclic", cycle);
    vendor.step("plain");
    load();
    await wait(5000);

    assertEquals(page.events.map(({ properties }) => properties), [{ at: 1, self: "[Circular]" }, undefined]);
  }));

Deno.test("the loader doesn't hang on what is too large for an event, and leaves it to the SDK", () =>
  whileLoading(async ({ vendor, page, wait, load }) => {
    let wide: Record<string, unknown> = {};
    for (let level = 0; level < 30; level++) wide = { left: wide, right: wide };
    const endless = {
      get next() {
        return this;
      },
    };
    vendor.init(CONFIG);
    const startMs = performance.now();
    vendor.step("wide", wide);
    vendor.step("sparse", { list: new Array(2 ** 32 - 1) });
    vendor.step("typed", { bytes: new Uint8Array(10_000_000) });
    vendor.step("long", { text: "x".repeat(10_000_000) });
    vendor.step("endless", endless);
    vendor.step("hostile", { length: -1e9, wide });
    vendor.step("x".repeat(10_000_000));
    const tookMs = performance.now() - startMs;
    vendor.step("plain", { text: "x".repeat(32_000) });
    load();
    await wait(5000);

    assertEquals(tookMs < 2000, true, `${tookMs} ms`);
    assertEquals(page.events.at(-1)?.name, "plain");
  }));

Deno.test("the loader keeps nothing of a call before init() but that it was made", () =>
  whileLoading(async (loading) => {
    const { vendor, page, wait, load } = loading;
    vendor.step("secret", { card: 1 });
    vendor.setConsent("granted");

    assertEquals(loading.kept, '[["step"],["setConsent"]]');
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
    vendor.init({ ...CONFIG, consent: "denied" });
    const denied = vendor.getConsent();
    vendor.setConsent("pending");
    vendor.setConsent("yes" as "granted");
    const pending = vendor.getConsent();
    load();

    assertEquals([before, denied, pending, scope.Vendor?.getConsent?.()], ["pending", "denied", "pending", "pending"]);
    return Promise.resolve();
  }));

Deno.test("the loader holds at most 10,000 calls, and every change of consent", () =>
  whileLoading(({ vendor, scope }) => {
    vendor.init({ ...CONFIG, consent: "pending" });
    for (let index = 0; index < 10_001; index++) vendor.identify("user");
    vendor.setConsent("granted");

    assertEquals(scope.Vendor?.queue?.length, 10_001);
    assertEquals(scope.Vendor?.queue?.at(-1)?.[0], "setConsent");
    return Promise.resolve();
  }));

Deno.test("the loader drops the oldest events when 10,000 calls wait", () =>
  whileLoading(async ({ vendor, page, wait, load }) => {
    vendor.init(CONFIG);
    vendor.identify("user");
    for (let index = 0; index < 10_000; index++) vendor.step(`step ${index}`);
    load();
    await wait(600_000);

    const names = namesOf(page.events);
    assertEquals([names.length, names[0], names.at(-1)], [9_998, "step 2", "step 9999"]);
    assertEquals(page.events[0]?.identity?.userId, "user");
  }));

Deno.test("the loader keeps init() and the last user when 10,000 calls wait and none is an event", () =>
  whileLoading(async ({ vendor, page, wait, load }) => {
    for (let index = 0; index < 10_000; index++) vendor.identify("early");
    vendor.init(CONFIG);
    for (let index = 0; index < 10_000; index++) vendor.identify(`user ${index}`);
    vendor.step("kept");
    load();
    await wait(5000);

    assertEquals(page.events.map(({ name, identity }) => [name, identity?.userId]), [["kept", "user 9999"]]);
  }));

Deno.test("the loader leaves an SDK that runs alone, and replaces an element of the page", () =>
  whileLoading(({ scope, vendor }) => {
    installLoader(scope);
    assertEquals(scope.Vendor, vendor);

    scope.Vendor = { id: "Vendor" } as object;
    installLoader(scope);
    assertEquals(typeof scope.Vendor.init, "function");
    return Promise.resolve();
  }));

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

Deno.test("an SDK that comes after a failure starts with the next init()", () =>
  whileLoading(async ({ vendor, page, fail, load, wait }) => {
    vendor.init(CONFIG);
    fail();
    load();
    vendor.step("too early");
    vendor.init(CONFIG);
    vendor.step("counted");
    await wait(5000);

    assertEquals(namesOf(page.events), ["counted"]);
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

Deno.test("the loader doesn't make a name or a user of what is none", () =>
  whileLoading(async ({ vendor, page, wait, load }) => {
    vendor.init(CONFIG);
    vendor.identify(new Date(START_MS) as unknown as string);
    vendor.step(12n as unknown as string);
    vendor.step("named");
    load();
    await wait(5000);

    assertEquals(page.events.map(({ name, identity }) => [name, identity?.userId]), [["named", null]]);
    assertEquals(warningsOf(page).length, 2);
  }));

Deno.test("the loader and the SDK agree on which configurations are valid", () => {
  const configs: Record<string, unknown>[] = [
    {},
    { apiKey: "" },
    { apiKey: " " },
    { apiKey: 7 },
    { apiKey: "a" },
    { apiKey: "a", endpoint: undefined, trackPageviews: undefined },
    { apiKey: "a", endpoint: null },
    { apiKey: "a", endpoint: "" },
    { apiKey: "a", endpoint: "events" },
    { apiKey: "a", endpoint: new URL("https://in.example/") },
    { apiKey: "a", endpoint: "https://in.example/" },
    { apiKey: "a", endpoint: "HTTPS://in.example" },
    { apiKey: "a", endpoint: "http://in.example/" },
    { apiKey: "a", endpoint: "http://localhost:1/" },
    { apiKey: "a", endpoint: "http://127.1/" },
    { apiKey: "a", endpoint: "http://[::1]/" },
    { apiKey: "a", endpoint: "http://localhost.in.example/" },
    { apiKey: "a", endpoint: "ftp://localhost/" },
    { apiKey: "a", trackPageviews: true },
    { apiKey: "a", trackPageviews: "auto" },
    { apiKey: "a", trackPageviews: "on" },
    { apiKey: "a", trackPageviews: null },
  ];
  const isAccepted = (config: Record<string, unknown>): boolean => {
    try {
      return !!resolveConfig(config as unknown as InitConfig);
    } catch {
      return false;
    }
  };

  assertEquals(configs.map((config) => isValid(config as unknown as InitConfig)), configs.map(isAccepted));
});
