import { assertEquals } from "@std/assert";
import { fromKlaro, type KlaroLibrary } from "../../../src/addons/consent/mod.ts";
import { announceScript, follow, withPage } from "./page.ts";

// The real library is in tests/browser/consent_platforms_test.ts.
const LIBRARY: KlaroLibrary = {
  addEventListener: (_type, render) => render({}),
  getManager: () => ({ confirmed: true, savedConsents: { analytics: true }, watch() {}, unwatch() {} }),
};

Deno.test("fromKlaro() waits for the library where an element or a form of that name is in its place", () =>
  withPage({ klaro: { id: "klaro", getManager: { name: "getManager" }, addEventListener() {} } }, () => {
    const { states } = follow(fromKlaro({ service: "analytics" }));
    announceScript();
    assertEquals(states, []);

    Object.assign(globalThis, { klaro: LIBRARY });
    announceScript();

    assertEquals(states, ["granted"]);
  }));

Deno.test("fromKlaro() keeps the answer of whoever gave it before another service was added", () => {
  const store = { get: () => encodeURIComponent(JSON.stringify({ analytics: true })) };
  const manager = {
    ...LIBRARY.getManager({}),
    store,
    confirmed: false,
    savedConsents: { analytics: true, chat: true },
  };
  withPage({ klaro: { ...LIBRARY, getManager: () => manager } }, () => {
    assertEquals(follow(fromKlaro({ service: "analytics" })).states, ["granted"]);
    assertEquals(follow(fromKlaro({ service: "chat" })).states, []); // on by default
  });
});
