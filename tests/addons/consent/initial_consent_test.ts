import { assertEquals } from "@std/assert";
import { initialConsent } from "../../../src/addons/consent/mod.ts";

function withNavigator(navigator: object | undefined, run: () => void): void {
  const original = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  Object.defineProperty(globalThis, "navigator", { get: () => navigator, configurable: true });
  try {
    run();
  } finally {
    Object.defineProperty(globalThis, "navigator", original ?? {});
  }
}

const UNREADABLE = {
  get globalPrivacyControl() {
    throw new Error("navigator was read");
  },
};

Deno.test("initialConsent() lets a saved choice win, and is pending without one", () =>
  withNavigator(UNREADABLE, () => {
    assertEquals(initialConsent({ saved: "granted", gpc: "denied" }), "granted");
    assertEquals(initialConsent({ saved: "denied", gpc: "denied" }), "denied");
    assertEquals(initialConsent({ saved: "pending" }), "pending");
    assertEquals(initialConsent({ saved: "GRANTED" }), "pending");
    assertEquals(initialConsent({ saved: null }), "pending");
    assertEquals(initialConsent(), "pending");
  }));

Deno.test("initialConsent() takes Global Privacy Control for a denial where it's told to", () => {
  const initial = (navigator: object | undefined) => {
    let state;
    withNavigator(navigator, () => void (state = initialConsent({ saved: undefined, gpc: "denied" })));
    return state;
  };

  assertEquals(initial({ globalPrivacyControl: true }), "denied");
  assertEquals(initial({ globalPrivacyControl: false }), "pending");
  assertEquals(initial({}), "pending");
  assertEquals(initial(undefined), "pending");
});
