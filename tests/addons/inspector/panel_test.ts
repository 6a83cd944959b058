import { assertEquals, assertStringIncludes } from "@std/assert";
import { type Client, createClient } from "../../../src/client/mod.ts";
import { inspect, type Inspector } from "../../../src/addons/inspector/mod.ts";
import { toggleInspector } from "../../../src/addons/inspector/toggle_inspector.ts";
import { captureVendor, createTestBrowser, type TestBrowser } from "../../../src/testing/mod.ts";
import { Vendor } from "../../../src/client/vendor.ts";
import { dispatch, type WindowScope, withWindow } from "../../client/platform/window_scope.ts";

/** What the panel takes from the global scope. */
const GLOBALS = ["document", "CSSStyleSheet", "Element", "addEventListener", "removeEventListener", "innerWidth"];

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

/** Presses what has the label. */
function press({ root, scope }: Stage, label: string): void {
  const target = root.querySelector(`[aria-label="${label}"]`);
  target?.dispatchEvent(new scope.MouseEvent("click", { bubbles: true, composed: true }));
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

panelTest("the filter leaves the lines that have its text, and Escape clears it first", async (stage) => {
  const { browser, client, root, scope, inspector } = stage;
  client.step("signup", { plan: "pro" });
  client.step("checkout");
  await browser.advance(5000);
  await rendered();

  const filter = root.querySelector("input") as HTMLInputElement;
  filter.value = '"plan":"PRO"';
  filter.dispatchEvent(new scope.Event("input", { bubbles: true, composed: true }));
  assertEquals(linesOf(root).map((line) => line.split("|")[1]), ["signup"]);

  const escape = { type: "keydown", target: filter, key: "Escape", bubbles: true, composed: true };
  filter.dispatchEvent(new scope.KeyboardEvent("keydown", escape));
  assertEquals([filter.value, inspector.isOpen], ["", true]);
  filter.dispatchEvent(new scope.KeyboardEvent("keydown", escape));
  assertEquals([inspector.isOpen, scope.document.querySelector("vendor-inspector")], [false, null]);
});

panelTest("a line opens its JSON, and Clear takes the lines away", async (stage) => {
  const { browser, client, root, scope } = stage;
  client.step("signup", { plan: "pro" });
  await browser.advance(5000);
  await rendered();

  const details = root.querySelector("details") as HTMLDetailsElement;
  dispatch(scope, { type: "toggle", target: details });
  assertStringIncludes(details.querySelector("pre")?.textContent ?? "", '"plan": "pro"');

  const clear = [...root.querySelectorAll("button")].find(({ textContent }) => textContent === "Clear");
  clear?.dispatchEvent(new scope.MouseEvent("click", { bubbles: true, composed: true }));
  assertEquals(linesOf(root), []);
});

panelTest("the panel folds up, moves by keys and hears of the page's window", async (stage) => {
  const { root, scope } = stage;
  const host = scope.document.querySelector("vendor-inspector") as HTMLElement;

  press(stage, "Collapse");
  assertEquals([host.hasAttribute("data-collapsed"), root.querySelector<HTMLElement>(".body")?.hidden], [true, true]);
  press(stage, "Expand");
  assertEquals(host.hasAttribute("data-collapsed"), false);

  const handle = root.querySelector('[aria-label="Move with the arrow keys"]');
  const right = { key: "ArrowRight", bubbles: true, composed: true };
  handle?.dispatchEvent(new scope.KeyboardEvent("keydown", right));
  assertEquals(host.style.getPropertyValue("--x"), "24px");
  dispatch(scope, { type: "resize" });
  assertEquals(host.style.getPropertyValue("--x"), "24px");
  await rendered();
});

panelTest("the page's listeners hear nothing of a click in the panel", async (stage) => {
  const { scope } = stage;
  let clicks = 0;
  scope.document.addEventListener("click", () => clicks++, true);

  press(stage, "Collapse");
  const heard = clicks;
  scope.document.body.click();

  assertEquals([heard, clicks], [0, 1]);
  await rendered();
});

panelTest("another inspect() returns the panel that is open", async ({ client, inspector, scope }) => {
  const again = inspect(client);

  assertEquals([again === inspector, scope.document.querySelectorAll("vendor-inspector").length], [true, 1]);
  await rendered();
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
