import { assertEquals } from "@std/assert";
import { type Client, createClient } from "../../../src/client/mod.ts";
import { inspect, type Inspector } from "../../../src/addons/inspector/mod.ts";
import { toggleInspector } from "../../../src/addons/inspector/toggle_inspector.ts";
import { captureVendor, createTestBrowser, type TestBrowser } from "../../../src/testing/mod.ts";
import { Vendor } from "../../../src/client/vendor.ts";
import { type WindowScope, withWindow } from "../../client/platform/window_scope.ts";

/** What the panel takes from the global scope. */
const GLOBALS = ["document", "CSSStyleSheet", "Element", "addEventListener", "removeEventListener"];

interface Stage {
  readonly browser: TestBrowser;
  readonly client: Client;
  readonly inspector: Inspector;
  readonly scope: WindowScope;
  readonly root: ShadowRoot;
}

/** How long the panel gathers changes, and a little more. */
const RENDERED_MS = 80;

/** Registers a test with a panel of a client in a page of happy-dom. */
function panelTest(name: string, run: (stage: Stage) => Promise<void>): void {
  Deno.test(name, () =>
    withWindow("https://shop.example/", async (scope) => {
      const before = GLOBALS.map((key) => [key, Object.getOwnPropertyDescriptor(globalThis, key)] as const);
      for (const key of GLOBALS) {
        const value = Reflect.get(scope, key);
        const bound = key.endsWith("Listener") ? value.bind(scope) : value;
        Object.defineProperty(globalThis, key, { value: bound, configurable: true });
      }
      const browser = createTestBrowser();
      const client = createClient({ apiKey: "pk_test" }, browser.open("https://shop.example/").environment);
      const inspector = inspect(client);
      try {
        const root = scope.document.querySelector("vendor-inspector")?.shadowRoot as ShadowRoot;
        await run({ browser, client, inspector, scope, root });
      } finally {
        inspector.close();
        client.close();
        for (const [key, descriptor] of before) {
          Reflect.deleteProperty(globalThis, key);
          if (descriptor) Object.defineProperty(globalThis, key, descriptor);
        }
      }
    }));
}

/** Lets the panel show what happened. */
async function rendered(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, RENDERED_MS));
}

/** Returns the lines that are shown, newest first. */
function linesOf(root: ShadowRoot): readonly string[] {
  return [...root.querySelectorAll<HTMLElement>(".row")].filter(({ hidden }) => !hidden).map((row) =>
    [".state", ".name", ".note"].map((part) => row.querySelector(part)?.textContent).join("|")
  );
}

panelTest("the panel shows calls and events, the newest first, and its state", async ({ browser, client, root }) => {
  client.identify("user-42");
  client.step("signup", { plan: "pro" });
  await browser.advance(5000);
  client.setConsent("denied");
  client.step("late");
  await rendered();

  assertEquals(linesOf(root).filter((line) => !line.startsWith("note")), [
    'held back|step("late")|consent is denied',
    'done|setConsent("denied")|',
    "delivered|signup|202",
    'done|identify("user-42")|',
  ]);
  assertEquals(root.querySelector("dd")?.textContent, "denied");
});

panelTest(
  "the panel of Vendor stays with the instance that a test puts in its place, until it's closed",
  async (stage) => {
    const { scope } = stage;
    stage.inspector.close();
    const captured = captureVendor(Vendor);
    try {
      const inspector = inspect(Vendor);
      const root = scope.document.querySelector("vendor-inspector")?.shadowRoot as ShadowRoot;
      Vendor.step("before");
      captured.reset();
      Vendor.step("after");
      assertEquals(captured.events.length, 1);
      await rendered();
      const events = linesOf(root).filter((line) => /before|after/.test(line));
      assertEquals(events, ["waiting|after|", "dropped|before|consent"]);

      toggleInspector({ Vendor });
      assertEquals([inspector.isOpen, root.isConnected], [false, false]);
    } finally {
      captured.restore();
    }
  },
);
