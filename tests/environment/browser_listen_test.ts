import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { createBrowserEnvironment } from "../../src/environment/browser.ts";
import type { Cancel, EnvironmentListeners } from "../../src/environment/environment.ts";
import { dispatch, override, type WindowScope, withWindow } from "./window_scope.ts";

const PAGE_URL = "https://shop.example/teas";

/** Subscribes listeners that write down what they hear. */
function listen(scope: WindowScope, others: Pick<EnvironmentListeners, "navigate"> = {}): [string[], Cancel] {
  const heard: string[] = [];
  const stop = createBrowserEnvironment(scope).listen({
    ...others,
    hide: (isGone) => heard.push(`hide ${isGone}`),
    show: (isRestored) => heard.push(`show ${isRestored}`),
    online: () => heard.push("online"),
    storage: () => heard.push("storage"),
    blocked: (url) => heard.push(`blocked ${url}`),
  });
  return [heard, stop];
}

Deno.test("createBrowserEnvironment() hears pagehide, which a closed tab may send alone", () =>
  withWindow(PAGE_URL, (scope) => {
    const [heard] = listen(scope);

    dispatch(scope, { type: "pagehide", persisted: false });

    assertEquals(heard, ["hide true"]);
  }));

Deno.test("createBrowserEnvironment() goes by the visibility state, not by the event", () =>
  withWindow(PAGE_URL, (scope) => {
    const [heard] = listen(scope);

    override(scope.document, { visibilityState: "hidden" });
    dispatch(scope, { type: "visibilitychange", target: scope.document });
    override(scope.document, { visibilityState: "visible" });
    dispatch(scope, { type: "visibilitychange", target: scope.document });

    assertEquals(heard, ["hide false", "show false"]);
  }));

Deno.test("createBrowserEnvironment() takes pageshow for a restore only from the back/forward cache", () =>
  withWindow(PAGE_URL, (scope) => {
    const [heard] = listen(scope);

    dispatch(scope, { type: "pageshow", persisted: false });
    dispatch(scope, { type: "pageshow", persisted: true });

    assertEquals(heard, ["show true"]);
  }));

Deno.test("createBrowserEnvironment() hears that another page changed what is stored", () =>
  withWindow(PAGE_URL, (scope) => {
    const [heard] = listen(scope);

    dispatch(scope, { type: "storage" });

    assertEquals(heard, ["storage"]);
  }));

Deno.test("createBrowserEnvironment() hears that the network is back", () =>
  withWindow(PAGE_URL, (scope) => {
    const [heard] = listen(scope);

    dispatch(scope, { type: "offline" });
    dispatch(scope, { type: "online" });

    assertEquals(heard, ["online"]);
  }));

Deno.test("createBrowserEnvironment() takes only a policy in force for a block", () =>
  withWindow(PAGE_URL, (scope) => {
    const [heard] = listen(scope);
    const violation = { type: "securitypolicyviolation", target: scope.document };

    dispatch(scope, { ...violation, disposition: "report", blockedURI: "https://ingest.example/report" });
    dispatch(scope, { ...violation, disposition: "enforce", blockedURI: "https://ingest.example/enforce" });

    assertEquals(heard, ["blocked https://ingest.example/enforce"]);
  }));

Deno.test("createBrowserEnvironment() leaves history alone where nobody listens to navigations", () =>
  withWindow(PAGE_URL, (scope) => {
    const { pushState, replaceState } = scope.history;

    const [, stop] = listen(scope);

    assertStrictEquals(scope.history.pushState, pushState);
    assertStrictEquals(scope.history.replaceState, replaceState);
    stop();
  }));

Deno.test("createBrowserEnvironment() leaves history as it was when listening ends", () =>
  withWindow(PAGE_URL, (scope) => {
    const { history } = scope;
    const { pushState, replaceState } = history;
    const [, stop] = listen(scope, { navigate: () => {} });
    assert(history.pushState !== pushState && history.replaceState !== replaceState);

    stop();

    assertEquals([Object.hasOwn(history, "pushState"), Object.hasOwn(history, "replaceState")], [false, false]);
    assertStrictEquals(history.pushState, pushState);
    assertStrictEquals(history.replaceState, replaceState);
  }));

Deno.test("createBrowserEnvironment() removes every listener it added", () =>
  withWindow(PAGE_URL, (scope) => {
    const live = new Map<string, number>();
    for (const target of [scope, scope.document] as EventTarget[]) {
      const added = new Map<unknown, string>();
      const { addEventListener, removeEventListener } = target;
      const add: typeof addEventListener = (type, listener, isCapture) => {
        added.set(listener, `${type} ${isCapture}`);
        live.set(type, (live.get(type) ?? 0) + 1);
        addEventListener.call(target, type, listener, isCapture);
      };
      const remove: typeof removeEventListener = (type, listener, isCapture) => {
        if (added.get(listener) === `${type} ${isCapture}`) live.set(type, (live.get(type) ?? 0) - 1);
        removeEventListener.call(target, type, listener, isCapture);
      };
      override(target, { addEventListener: add, removeEventListener: remove });
    }

    const [, stop] = listen(scope, { navigate: () => {} });
    const types = [
      "online",
      "pagehide",
      "pageshow",
      "popstate",
      "resume",
      "securitypolicyviolation",
      "storage",
      "visibilitychange",
    ];
    assertEquals([...live].toSorted(), types.map((type) => [type, 1]));

    stop();
    assertEquals([...live].toSorted(), types.map((type) => [type, 0]));
  }));

Deno.test("createBrowserEnvironment() never listens to unload, which keeps pages out of the back/forward cache", () =>
  withWindow(PAGE_URL, (scope) => {
    const types: string[] = [];
    override(scope, { addEventListener: (type: string) => types.push(type) });

    listen(scope, { navigate: () => {} });

    assertEquals(types.filter((type) => /unload/.test(type)), []);
    assertEquals(types.length > 0, true);
  }));

Deno.test("createBrowserEnvironment() tells of a restore once, with whichever event comes first", () =>
  withWindow(PAGE_URL, (scope) => {
    const [heard] = listen(scope);
    for (const first of ["resume", "visibilitychange"]) {
      dispatch(scope, { type: "pagehide", persisted: true });
      heard.length = 0;

      dispatch(scope, { type: first, target: scope.document });
      dispatch(scope, { type: "pageshow", persisted: true });
      dispatch(scope, { type: "visibilitychange", target: scope.document });

      assertEquals(heard, ["show true", "show false"], first);
    }
  }));

Deno.test("createBrowserEnvironment() tells of a restore once, though the page starts anew in the middle of it", () =>
  withWindow(PAGE_URL, (scope) => {
    const environment = createBrowserEnvironment(scope);
    const heard: boolean[] = [];
    const nothing = (): void => {};
    const subscribe = () =>
      environment.listen({
        hide: nothing,
        show: (isRestored) => heard.push(isRestored),
        online: nothing,
        storage: nothing,
        blocked: nothing,
      });
    const stop = subscribe();
    dispatch(scope, { type: "pagehide", persisted: true });
    dispatch(scope, { type: "visibilitychange", target: scope.document });

    stop();
    subscribe();
    dispatch(scope, { type: "pageshow", persisted: true });

    assertEquals(heard, [true]);
  }));

Deno.test("createBrowserEnvironment() takes the end of a freeze without the back/forward cache for nothing", () =>
  withWindow(PAGE_URL, (scope) => {
    const [heard] = listen(scope);

    dispatch(scope, { type: "resume", target: scope.document });

    assertEquals(heard, []);
  }));

Deno.test("createBrowserEnvironment() hears of a restore before a listener that the page added earlier", () =>
  withWindow(PAGE_URL, (scope) => {
    scope.document.addEventListener("visibilitychange", () => heard.push("page"));
    const [heard] = listen(scope);
    dispatch(scope, { type: "pagehide", persisted: true });

    dispatch(scope, { type: "visibilitychange", target: scope.document });

    assertEquals(heard, ["hide false", "show true", "page"]);
  }));

Deno.test("createBrowserEnvironment() hears of a restore though the page subscribed as it went", () =>
  withWindow(PAGE_URL, (scope) => {
    const [heard] = listen(scope);

    dispatch(scope, { type: "visibilitychange", target: scope.document });
    dispatch(scope, { type: "pageshow", persisted: true });

    assertEquals(heard, ["show false", "show true"]);
  }));
