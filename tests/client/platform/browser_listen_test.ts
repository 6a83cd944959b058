import { assertEquals, assertStrictEquals } from "@std/assert";
import { createBrowserEnvironment } from "../../../src/client/platform/browser.ts";
import type { Cancel, EnvironmentListeners } from "../../../src/client/platform/environment.ts";
import { dispatch, override, type WindowScope, withWindow } from "./window_scope.ts";

/** Subscribes listeners that write down what they hear. */
function listen(scope: WindowScope, others: Pick<EnvironmentListeners, "navigate"> = {}): [string[], Cancel] {
  const heard: string[] = [];
  const stop = createBrowserEnvironment(scope).listen({
    ...others,
    hide: () => heard.push("hide"),
    show: (isRestored) => heard.push(`show ${isRestored}`),
  });
  return [heard, stop];
}

const GOES = { type: "pagehide", persisted: true };
const SHOWN = { type: "pageshow", persisted: true };

for (
  const [what, events, expected] of [
    ["pagehide, which a closed tab may send alone", [{ type: "pagehide", persisted: false }], ["hide"]],
    ["no restore of a page that loads", [{ type: "pageshow", persisted: false }], []],
    ["no restore of a page that went for good", [{ type: "pagehide", persisted: false }, SHOWN], ["hide"]],
    ["a restore by pageshow", [GOES, SHOWN], ["hide", "show true"]],
    ["a restore by resume, in Chromium", [GOES, { type: "resume" }, SHOWN], ["hide", "show true"]],
    ["no restore where a page was frozen in its tab", [{ type: "resume" }], []],
  ] as const
) {
  Deno.test(`createBrowserEnvironment() hears ${what}`, () =>
    withWindow("https://shop.example/teas", (scope) => {
      const [heard] = listen(scope);

      for (const event of events) dispatch(scope, { ...event, target: scope });

      assertEquals<readonly string[]>(heard, expected);
    }));
}

Deno.test("createBrowserEnvironment() goes by the visibility state, not by the event", () =>
  withWindow("https://shop.example/teas", (scope) => {
    const [heard] = listen(scope);

    override(scope.document, { visibilityState: "hidden" });
    dispatch(scope, { type: "visibilitychange", target: scope.document });
    override(scope.document, { visibilityState: "visible" });
    dispatch(scope, { type: "visibilitychange", target: scope.document });

    assertEquals(heard, ["hide", "show false"]);
  }));

Deno.test("createBrowserEnvironment() hears of a restore by visibilitychange, in Firefox, once and before the page", () =>
  withWindow("https://shop.example/teas", (scope) => {
    scope.document.addEventListener("visibilitychange", () => heard.push("page"));
    const [heard] = listen(scope);
    override(scope.document, { visibilityState: "visible" });
    dispatch(scope, GOES);

    dispatch(scope, { type: "visibilitychange", target: scope.document });
    dispatch(scope, SHOWN);

    assertEquals(heard, ["hide", "show true", "page"]);
  }));

Deno.test("createBrowserEnvironment() hears what another page changed in storage", () =>
  withWindow("https://shop.example/teas", (scope) => {
    const heard: unknown[] = [];
    const stop = createBrowserEnvironment(scope).listenToStorage(({ key, newValue }) => heard.push([key, newValue]));

    dispatch(scope, { type: "storage", key: "vendor.sdk.visitor", newValue: null });
    dispatch(scope, { type: "storage", key: null, newValue: null });
    stop();
    dispatch(scope, { type: "storage", key: "vendor.sdk.visitor", newValue: "a" });

    assertEquals(heard, [["vendor.sdk.visitor", null], [null, null]]);
  }));

Deno.test("createBrowserEnvironment() leaves history alone where nobody listens to navigations", () =>
  withWindow("https://shop.example/teas", (scope) => {
    const { pushState, replaceState } = scope.history;

    listen(scope);

    assertStrictEquals(scope.history.pushState, pushState);
    assertStrictEquals(scope.history.replaceState, replaceState);
  }));

Deno.test("createBrowserEnvironment() removes every listener it added, none of them to unload", () =>
  withWindow("https://shop.example/teas", (scope) => {
    const live = new Map<string, number>();
    const added = new Map<unknown, string>();
    override(scope, {
      addEventListener(type: string, listener: unknown, isCapture: unknown) {
        added.set(listener, `${type} ${isCapture}`);
        live.set(type, (live.get(type) ?? 0) + 1);
      },
      removeEventListener(type: string, listener: unknown, isCapture: unknown) {
        if (added.get(listener) === `${type} ${isCapture}`) live.set(type, (live.get(type) ?? 0) - 1);
      },
    });
    const types = ["online", "pagehide", "pageshow", "popstate", "resume", "visibilitychange"];

    const [, stop] = listen(scope, { navigate: () => {} });
    assertEquals([...live].toSorted(), types.map((type) => [type, 1]));

    stop();
    assertEquals([...live].toSorted(), types.map((type) => [type, 0]));
  }));

Deno.test("createBrowserEnvironment() wraps history where the page's navigation can't be read", () =>
  withWindow("https://shop.example/teas", (scope) => {
    const get = (): never => {
      throw new DOMException("", "SecurityError");
    };
    override(scope, { navigation: new Proxy({}, { get }) });
    const kinds: string[] = [];
    const navigate = (kind: string): void => void kinds.push(kind);
    const cancel = createBrowserEnvironment(scope).listen({ navigate, hide() {}, show() {} });

    scope.history.pushState(null, "", "/b");
    cancel();

    assertEquals(kinds, ["push"]);
  }));

for (const isAccessor of [false, true]) {
  const method = isAccessor ? "has accessors that throw" : "is frozen";
  Deno.test(`createBrowserEnvironment() hears popstate where the page's history ${method}`, () =>
    withWindow("https://shop.example/teas", (scope) => {
      const history = { pushState() {}, replaceState() {} };
      const set = (): never => {
        throw new Error("locked");
      };
      if (isAccessor) Object.defineProperty(history, "pushState", { get: () => () => {}, set });
      override(scope, { history: Object.freeze(history) });
      const kinds: string[] = [];
      const navigate = (kind: string): void => void kinds.push(kind);
      const cancel = createBrowserEnvironment(scope).listen({ navigate, hide() {}, show() {} });

      scope.history.pushState(null, "", "/b");
      dispatch(scope, { type: "popstate", target: scope });
      cancel();

      assertEquals(kinds, ["traverse"]);
    }));
}
