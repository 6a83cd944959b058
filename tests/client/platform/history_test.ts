import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { wrapHistory } from "../../../src/client/platform/history.ts";

/** Creates a window with the part of a `History` that is wrapped, whose methods are on a prototype of its own. */
function createWindow() {
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
  const history = new FakeHistory();
  return { window: { history }, history };
}

Deno.test("wrapHistory() reports each change after it took place, and passes on this, arguments and result", () => {
  const { window, history } = createWindow();
  const reports: string[] = [];
  wrapHistory(window, (kind) => reports.push(`${kind} after ${history.calls.length}`));

  const results = [history.pushState({ scroll: 3 }, "title", "/a"), history.replaceState(null, "", "/b")];

  assertEquals(results, ["pushed", "replaced"]);
  assertEquals(history.calls, [["push", { scroll: 3 }, "title", "/a"], ["replace", null, "", "/b"]]);
  assertEquals(reports, ["push after 1", "replace after 2"]);
});

Deno.test("wrapHistory() reports no change that failed, and lets the page see the failure", () => {
  const history = {
    pushState(): never {
      throw new DOMException("another origin", "SecurityError");
    },
    replaceState(): void {},
  };
  const window = { history };
  const reports: string[] = [];
  wrapHistory(window, (kind) => reports.push(kind));

  assertThrows(() => history.pushState(), DOMException, "another origin");
  assertEquals(reports, []);
});

Deno.test("wrapHistory() wraps methods where they are, once a window: who comes after a teardown uses the same wrapper", () => {
  const { window, history } = createWindow();
  const reports: string[] = [];
  const unwrap = wrapHistory(window, () => reports.push("first"));
  const { pushState, replaceState } = history;

  unwrap();
  history.pushState(null, "", "/a");
  wrapHistory(window, () => reports.push("second"));
  unwrap(); // a second time, which takes nobody else away
  history.pushState(null, "", "/b");

  assertEquals([reports, Object.keys(history), history.calls.length], [["second"], ["calls"], 2]);
  assertStrictEquals(history.pushState, pushState);
  assertStrictEquals(history.replaceState, replaceState);
});

Deno.test("wrapHistory() wraps the methods that a page put on its history itself", () => {
  const { window, history } = createWindow();
  history.pushState = history.pushState.bind(history);
  const reports: string[] = [];
  wrapHistory(window, (kind) => reports.push(kind));

  history.pushState(null, "", "/a");
  history.replaceState(null, "", "/b");

  assertEquals([reports, Object.hasOwn(history, "replaceState")], [["push", "replace"], false]);
});

for (const place of ["prototype", "history"] as const) {
  Deno.test(`wrapHistory() stays in the chain of someone who wrapped the ${place}'s method later, and is inert`, () => {
    const { window, history } = createWindow();
    const reports: string[] = [];
    const unwrap = wrapHistory(window, (kind) => reports.push(kind));
    const holder: typeof history = place === "history" ? history : Object.getPrototypeOf(history);
    const { pushState } = holder;
    const later: typeof pushState = function (this: typeof history, ...args) {
      reports.push("later");
      return pushState.apply(this, args);
    };
    holder.pushState = later;

    history.pushState(null, "", "/a");
    unwrap();
    history.pushState(null, "", "/b");

    assertEquals([reports, history.calls.length], [["later", "push", "later"], 2]);
    assertStrictEquals(holder.pushState, later);
  });
}

Deno.test("wrapHistory() unwraps in any order without losing the page's own methods", () => {
  const { window, history } = createWindow();
  const reports: string[] = [];
  const unwrapFirst = wrapHistory(window, (kind) => reports.push(`first ${kind}`));
  const unwrapSecond = wrapHistory(window, (kind) => reports.push(`second ${kind}`));

  unwrapFirst();
  history.pushState(null, "", "/a");
  unwrapSecond();
  history.pushState(null, "", "/b");

  assertEquals([reports, history.calls.length], [["second push"], 2]);
});

Deno.test("wrapHistory() leaves a method replaceable that the page has as an accessor, or inherits from afar", () => {
  const { history } = createWindow();
  const { pushState } = history;
  let own = pushState;
  Object.defineProperty(Object.getPrototypeOf(history), "pushState", {
    get: () => own,
    set: (value) => own = value,
    configurable: true,
  });
  const heir: typeof history = Object.create(Object.create(history));
  const reports: string[] = [];
  wrapHistory({ history: heir }, (kind) => reports.push(kind));

  heir.pushState(null, "", "/a");
  heir.replaceState(null, "", "/b");
  heir.pushState = pushState;
  heir.replaceState = () => "the page's";

  assertEquals([reports, heir.replaceState(), heir.pushState], [["push", "replace"], "the page's", pushState]);
});

for (
  const [what, lock, kinds] of [
    ["is frozen", (history) => Object.freeze(history), ["push", "replace"]],
    ["is sealed, and has methods of its own", (history) => {
      const { pushState, replaceState } = history;
      Object.seal(Object.assign(history, { pushState, replaceState }));
    }, ["push", "replace"]],
    ["has a method whose setter throws", (history) => {
      const { pushState } = history;
      const set = (): never => {
        throw new Error("locked");
      };
      Object.defineProperty(Object.getPrototypeOf(history), "pushState", {
        get: () => pushState,
        set,
        configurable: true,
      });
    }, ["replace"]],
    ["is frozen with its prototype", (history) => {
      Object.freeze(Object.getPrototypeOf(Object.freeze(history)));
    }, []],
  ] as readonly [
    what: string,
    lock: (history: ReturnType<typeof createWindow>["history"]) => void,
    kinds: readonly string[],
  ][]
) {
  Deno.test(`wrapHistory() reports ${kinds.length ? "changes" : "nothing"} of a history that ${what}`, () => {
    const { window, history } = createWindow();
    lock(history);
    const reports: string[] = [];

    const unwrap = wrapHistory(window, (kind) => reports.push(kind));
    history.pushState(null, "", "/a");
    history.replaceState(null, "", "/b");
    unwrap();
    history.pushState(null, "", "/c");

    assertEquals([reports, history.calls.length], [kinds, 3]);
  });
}
