import { assertEquals, assertNotStrictEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { wrapHistory } from "../../src/environment/history.ts";

/** Creates the part of a `History` that is wrapped, with its methods on a prototype of its own. */
function createHistory() {
  class FakeHistory {
    readonly calls: unknown[][] = [];
    pushState(...args: unknown[]): string {
      this.calls.push(["push", ...args]);
      return "pushed";
    }
    replaceState(...args: unknown[]): string {
      this.calls.push(["replace", ...args]);
      return "replaced";
    }
  }
  return new FakeHistory();
}

Deno.test("wrapHistory() reports each change after it took place", () => {
  const history = createHistory();
  const reports: string[] = [];
  wrapHistory(history, (kind) => reports.push(`${kind} after ${history.calls.length}`));

  history.pushState(null, "", "/a");
  history.replaceState(null, "", "/b");

  assertEquals(reports, ["push after 1", "replace after 2"]);
});

Deno.test("wrapHistory() passes on this, arguments and result", () => {
  const history = createHistory();
  wrapHistory(history, () => {});
  const state = { scroll: 3 };

  const result = history.pushState(state, "title", "/a");

  assertEquals(result, "pushed");
  assertEquals(history.calls, [["push", state, "title", "/a"]]);
});

Deno.test("wrapHistory() reports no change that failed, and lets the page see the failure", () => {
  const history = {
    pushState(): never {
      throw new DOMException("another origin", "SecurityError");
    },
    replaceState(): void {},
  };
  const reports: string[] = [];
  wrapHistory(history, (kind) => reports.push(kind));

  assertThrows(() => history.pushState(), DOMException, "another origin");
  assertEquals(reports, []);
});

Deno.test("wrapHistory() keeps what its listener throws from the page", () => {
  const history = createHistory();
  wrapHistory(history, () => {
    throw new Error("no title");
  });

  assertEquals(history.pushState(null, "", "/a"), "pushed");
});

Deno.test("wrapHistory() wraps methods where they are, and leaves them as they were", () => {
  const history = createHistory();
  const { pushState, replaceState } = history;
  const unwrap = wrapHistory(history, () => {});
  assertNotStrictEquals(history.pushState, pushState);

  unwrap();

  assertEquals(Object.keys(history), ["calls"]);
  assertStrictEquals(history.pushState, pushState);
  assertStrictEquals(history.replaceState, replaceState);
});

Deno.test("wrapHistory() doesn't hide the method from who wraps the prototype's later", () => {
  const history = createHistory();
  const reports: string[] = [];
  const unwrap = wrapHistory(history, (kind) => reports.push(kind));
  const prototype: typeof history = Object.getPrototypeOf(history);
  const { pushState } = prototype;
  prototype.pushState = function (...args) {
    reports.push("later");
    return pushState.apply(this, args);
  };

  history.pushState(null, "", "/a");
  unwrap();
  history.pushState(null, "", "/b");

  assertEquals(reports, ["later", "push", "later"]);
  assertEquals(history.calls.length, 2);
});

Deno.test("wrapHistory() puts back the wrappers of someone who came before", () => {
  const history = createHistory();
  const earlier = history.pushState.bind(history);
  history.pushState = earlier;
  const unwrap = wrapHistory(history, () => {});

  unwrap();

  assertStrictEquals(history.pushState, earlier);
  assertEquals(Object.hasOwn(history, "pushState"), true);
  assertEquals(Object.hasOwn(history, "replaceState"), false);
});

Deno.test("wrapHistory() stays in the chain of someone who came later, and is inert", () => {
  const history = createHistory();
  const reports: string[] = [];
  const unwrap = wrapHistory(history, (kind) => reports.push(kind));
  const ours = history.pushState;
  const later = (...args: unknown[]): string => {
    reports.push("later");
    return ours.apply(history, args);
  };
  history.pushState = later;

  history.pushState(null, "", "/a");
  unwrap();
  history.pushState(null, "", "/b");

  assertStrictEquals(history.pushState, later);
  assertEquals(reports, ["later", "push", "later"]);
  assertEquals(history.calls.length, 2);
  assertEquals(Object.hasOwn(history, "replaceState"), false);
});

Deno.test("wrapHistory() unwraps in any order without losing the page's own methods", () => {
  const history = createHistory();
  const reports: string[] = [];
  const unwrapFirst = wrapHistory(history, (kind) => reports.push(`first ${kind}`));
  const unwrapSecond = wrapHistory(history, (kind) => reports.push(`second ${kind}`));

  unwrapFirst();
  history.pushState(null, "", "/a");
  unwrapSecond();
  history.pushState(null, "", "/b");

  assertEquals(reports, ["second push"]);
  assertEquals(history.calls.length, 2);
});

Deno.test("wrapHistory() unwraps once", () => {
  const history = createHistory();
  const unwrap = wrapHistory(history, () => {});
  unwrap();
  const reports: string[] = [];
  wrapHistory(history, (kind) => reports.push(kind));

  unwrap();
  history.pushState(null, "", "/a");

  assertEquals(reports, ["push"]);
});

Deno.test("wrapHistory() leaves a frozen history alone", () => {
  const history = Object.freeze(createHistory());
  const prototype = Object.freeze(Object.getPrototypeOf(history));
  const { pushState } = prototype;

  const unwrap = wrapHistory(history, () => {});
  history.pushState(null, "", "/a");
  unwrap();

  assertStrictEquals(history.pushState, pushState);
  assertEquals(history.calls.length, 1);
});

Deno.test("wrapHistory() leaves methods alone that can't be written", () => {
  const history = createHistory();
  const { pushState } = history;
  Object.defineProperty(history, "pushState", { value: pushState, writable: false });
  const reports: string[] = [];

  const unwrap = wrapHistory(history, (kind) => reports.push(kind));
  history.pushState(null, "", "/a");
  history.replaceState(null, "", "/b");
  unwrap();

  assertEquals(reports, ["replace"]);
  assertStrictEquals(history.pushState, pushState);
});

Deno.test("wrapHistory() wraps the methods that a page put on its history itself", () => {
  const history = createHistory();
  const { pushState } = history;
  history.pushState = (...args) => pushState.apply(history, args);
  const own = history.pushState;
  const reports: string[] = [];
  const cancel = wrapHistory(history, (kind) => reports.push(kind));

  history.pushState(null, "", "/a");
  history.replaceState(null, "", "/b");
  cancel();

  assertEquals(reports, ["push", "replace"]);
  assertStrictEquals(history.pushState, own);
});
