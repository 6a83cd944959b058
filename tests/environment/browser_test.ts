import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { stub } from "@std/testing/mock";
import { createBrowserEnvironment } from "../../src/environment/browser.ts";
import { dispatch, override, withWindow } from "./window_scope.ts";

const PAGE_URL = "https://shop.example/teas?sort=price#green";

const UUID_V4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** Returns a Crypto without `randomUUID`, as on plain http, that fills arrays with one byte. */
function createPlainCrypto(byte: number): Pick<Crypto, "getRandomValues"> {
  return {
    getRandomValues: <T extends ArrayBufferView | null>(array: T): T => {
      if (array instanceof Uint8Array) array.fill(byte);
      return array;
    },
  };
}

Deno.test("createBrowserEnvironment() has whole milliseconds for the time, whatever a page makes of Date.now()", () =>
  withWindow(PAGE_URL, (scope) => {
    const { now } = createBrowserEnvironment(scope);
    for (const value of [1_700_000_000_000.25, new Date(1_700_000_000_000)]) {
      using _now = stub(Date, "now", () => value as number);

      assertEquals(now(), 1_700_000_000_000);
    }
  }));

Deno.test("createBrowserEnvironment() takes the browser's own UUIDs where there are any", () =>
  withWindow(PAGE_URL, (scope) => {
    override(scope, { crypto: { randomUUID: () => "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed" } });

    assertEquals(createBrowserEnvironment(scope).randomId(), "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed");
  }));

Deno.test("createBrowserEnvironment() makes UUIDs of random bytes on plain http", () =>
  withWindow("http://shop.example/", (scope) => {
    override(scope, { crypto: { getRandomValues: crypto.getRandomValues.bind(crypto) } });
    const { randomId } = createBrowserEnvironment(scope);

    const ids = Array.from({ length: 100 }, randomId);

    for (const id of ids) assertMatch(id, UUID_V4);
    assertEquals(new Set(ids).size, 100);
  }));

Deno.test("createBrowserEnvironment() keeps leading zeros of random bytes", () =>
  withWindow("http://shop.example/", (scope) => {
    override(scope, { crypto: createPlainCrypto(0) });

    assertMatch(createBrowserEnvironment(scope).randomId(), /^0{8}-0{4}-40{3}-[89ab]0{3}-0{12}$/);
  }));

Deno.test("createBrowserEnvironment() takes every digit of a random byte", () =>
  withWindow("http://shop.example/", (scope) => {
    override(scope, { crypto: createPlainCrypto(0xff) });

    assertMatch(createBrowserEnvironment(scope).randomId(), /^f{8}-f{4}-4f{3}-[89ab]f{3}-f{12}$/);
  }));

Deno.test("createBrowserEnvironment() reads nothing of the page before it's asked", () =>
  withWindow(PAGE_URL, (scope) => {
    const read: string[] = [];
    const trap = (target: object, name: string): void => {
      const value = Reflect.get(target, name);
      Object.defineProperty(target, name, {
        configurable: true,
        get() {
          read.push(name);
          return value;
        },
      });
    };
    for (const name of ["localStorage", "sessionStorage", "screen", "crypto", "history"]) trap(scope, name);
    for (const name of ["title", "referrer", "cookie"]) trap(scope.document, name);
    for (const name of ["language", "languages", "userAgent", "onLine"]) trap(scope.navigator, name);

    const environment = createBrowserEnvironment(scope);
    assertEquals(read, []);

    environment.title();
    environment.screen();
    environment.referrer();
    assertEquals(read, ["title", "screen", "referrer"]);
  }));

Deno.test("createBrowserEnvironment() takes only a plain false for being offline", () =>
  withWindow(PAGE_URL, (scope) => {
    const { isOffline } = createBrowserEnvironment(scope);

    override(scope.navigator, { onLine: undefined });
    assertEquals(isOffline(), false);

    override(scope.navigator, { onLine: false });
    assertEquals(isOffline(), true);
  }));

Deno.test("createBrowserEnvironment() is active in this task where browsers don't know prerendering", () =>
  withWindow(PAGE_URL, (scope) => {
    assertEquals("prerendering" in scope.document, false);
    let calls = 0;

    createBrowserEnvironment(scope).whenActive(() => calls++);

    assertEquals(calls, 1);
  }));

Deno.test("createBrowserEnvironment() waits for prerenderingchange, which follows visibilitychange", () =>
  withWindow(PAGE_URL, (scope) => {
    override(scope.document, { prerendering: true });
    let calls = 0;
    createBrowserEnvironment(scope).whenActive(() => calls++);

    dispatch(scope, { type: "visibilitychange", target: scope.document });
    assertEquals(calls, 0);

    override(scope.document, { prerendering: false });
    dispatch(scope, { type: "prerenderingchange", target: scope.document });
    dispatch(scope, { type: "prerenderingchange", target: scope.document });
    assertEquals(calls, 1);
  }));

Deno.test("createBrowserEnvironment() writes to the console, by level", () =>
  withWindow(PAGE_URL, (scope) => {
    using warn = stub(console, "warn");
    using debug = stub(console, "debug");
    const { log } = createBrowserEnvironment(scope);

    log("warn", "[Vendor] grave");
    log("debug", "[Vendor] aside");

    assertEquals(warn.calls.map(({ args }) => args), [["[Vendor] grave"]]);
    assertEquals(debug.calls.map(({ args }) => args), [["[Vendor] aside"]]);
  }));

Deno.test("createBrowserEnvironment() makes no two pages' random numbers alike", () =>
  withWindow(PAGE_URL, (scope) => {
    const { random } = createBrowserEnvironment(scope);

    assertNotEquals(random(), random());
  }));

Deno.test("createBrowserEnvironment() lets go of a timer that was cancelled", () =>
  withWindow(PAGE_URL, (scope) => {
    const cleared: unknown[] = [];
    override(scope, { setTimeout: () => 42, clearTimeout: (timer: unknown) => cleared.push(timer) });

    createBrowserEnvironment(scope).setTimer(() => {}, 1000)();

    assertEquals(cleared, [42]);
  }));

Deno.test("createBrowserEnvironment() takes a setTimeout() that returns nothing, as some pages make it", () =>
  withWindow(PAGE_URL, (scope) => {
    override(scope, { setTimeout: () => {} });

    createBrowserEnvironment(scope).setTimer(() => {}, 1000)();
  }));

Deno.test("createBrowserEnvironment() lets a process end that has the page's timers, in a DOM on Node", () =>
  withWindow(PAGE_URL, (scope) => {
    let isKeptAlive = true;
    override(scope, { setTimeout: () => ({ unref: () => void (isKeptAlive = false) }) });

    createBrowserEnvironment(scope).setTimer(() => {}, 60_000);

    assertEquals(isKeptAlive, false);
  }));

Deno.test("createBrowserEnvironment() passes on delays as given", () =>
  withWindow(PAGE_URL, (scope) => {
    const delays: unknown[] = [];
    override(scope, { setTimeout: (_: unknown, delay: unknown) => delays.push(delay) });
    const { setTimer } = createBrowserEnvironment(scope);

    setTimer(() => {}, 5000);
    setTimer(() => {}, Infinity);
    setTimer(() => {}, NaN);

    assertEquals(delays, [5000, Infinity, NaN]);
  }));

Deno.test("createBrowserEnvironment() adopts under a lock where there are locks, and at once where there are none", () =>
  withWindow(PAGE_URL, (scope) => {
    const names: unknown[] = [];
    let runs = 0;
    const request = (name: string, task: () => void): Promise<void> => {
      names.push(name);
      task();
      return Promise.reject(new DOMException("no storage of its own", "SecurityError"));
    };

    override(scope.navigator, { locks: { request } });
    createBrowserEnvironment(scope).exclusively(() => runs++);
    override(scope.navigator, { locks: undefined });
    createBrowserEnvironment(scope).exclusively(() => runs++);

    assertEquals([names, runs], [["vendor.sdk"], 2]);
  }));

Deno.test("createBrowserEnvironment() has no size where a page took the screen away", () =>
  withWindow(PAGE_URL, (scope) => {
    override(scope, { screen: undefined });

    const { width, height } = createBrowserEnvironment(scope).screen();

    assertEquals([width, height], [undefined, undefined]);
  }));
