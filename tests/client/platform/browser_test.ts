import { assertEquals, assertMatch } from "@std/assert";
import { stub } from "@std/testing/mock";
import { createBrowserEnvironment } from "../../../src/client/platform/browser.ts";
import { UUID_V4 } from "../../support/visit.ts";
import { dispatch, override, withWindow } from "./window_scope.ts";

const PAGE_URL = "https://shop.example/teas?sort=price#green";

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
    assertEquals(new Set(ids.join("")).size, 17, "every digit comes up");
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
    assertEquals([...new Set(read)], ["title", "screen", "referrer"]);
  }));

for (
  const [href, url, path] of [
    [
      "https://ada:s3cret@shop.example/teas?sort=price",
      "https://shop.example/teas?sort=price",
      "https://shop.example/teas",
    ],
    ["https://ada@shop.example/", "https://shop.example/", "https://shop.example/"],
    [
      "https://shop.example//ada@home?to=//x@y",
      "https://shop.example//ada@home?to=//x@y",
      "https://shop.example//ada@home",
    ],
  ] as const
) {
  Deno.test(`createBrowserEnvironment() tells no name and no password of ${href}`, () =>
    withWindow(PAGE_URL, (scope) => {
      override(scope, { location: { href } });
      const environment = createBrowserEnvironment(scope);

      assertEquals([environment.url(), environment.path()], [url, path]);
    }));
}

Deno.test("createBrowserEnvironment() waits for the task after prerenderingchange, which follows visibilitychange", () =>
  withWindow(PAGE_URL, async (scope) => {
    override(scope.document, { prerendering: true });
    let calls = 0;
    createBrowserEnvironment(scope).whenActive(() => calls++);

    dispatch(scope, { type: "visibilitychange", target: scope.document });
    assertEquals(calls, 0);

    override(scope.document, { prerendering: false });
    dispatch(scope, { type: "prerenderingchange", target: scope.document });
    assertEquals(calls, 0); // what reads the saved choice hears of it first
    await new Promise((resolve) => setTimeout(resolve, 5));
    assertEquals(calls, 1);
  }));

Deno.test("createBrowserEnvironment() writes to the console, by level", () =>
  withWindow(PAGE_URL, (scope) => {
    using warn = stub(console, "warn");
    using info = stub(console, "log");
    const { log } = createBrowserEnvironment(scope);

    log("warn", "[Vendor] grave");
    log("log", "[Vendor] aside");

    assertEquals(warn.calls.map(({ args }) => args), [["[Vendor] grave"]]);
    assertEquals(info.calls.map(({ args }) => args), [["[Vendor] aside"]]);
  }));

Deno.test("createBrowserEnvironment() has no size where a page took the screen away", () =>
  withWindow(PAGE_URL, (scope) => {
    override(scope, { screen: undefined });

    const { screenWidth, screenHeight } = createBrowserEnvironment(scope).screen();

    assertEquals([screenWidth, screenHeight], [NaN, NaN]); // no number, which an event leaves out
  }));

for (const localStorage of [null, undefined]) {
  Deno.test(`createBrowserEnvironment() has no storage where localStorage is ${localStorage}`, () =>
    withWindow(PAGE_URL, (scope) => {
      override(scope, { localStorage });
      const { storage } = createBrowserEnvironment(scope);

      assertEquals([storage.set("a", "1"), storage.get("a"), storage.keys("")], [false, null, []]);
      storage.remove("a");
    }));
}

Deno.test("createBrowserEnvironment() keeps what a listener or a timer throws from the page", () =>
  withWindow(PAGE_URL, (scope) => {
    const fail = (): never => {
      throw new Error("a page replaced something");
    };
    override(scope, { setTimeout: (callback: () => void) => callback() });
    const environment = createBrowserEnvironment(scope);
    environment.listen({ hide: fail, show: fail, navigate: fail });

    environment.setTimer(fail, 0);
    dispatch(scope, { type: "online" });
    dispatch(scope, { type: "pagehide" });
    scope.history.pushState(null, "", "/cart");

    assertEquals(scope.location.pathname, "/cart");
  }));
