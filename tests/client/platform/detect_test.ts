import { assertEquals } from "@std/assert";
import { detectEnvironment } from "../../../src/client/platform/detect.ts";
import type { Environment } from "../../../src/client/platform/environment.ts";
import { withWindow } from "./window_scope.ts";

/** Detects the environment while the values are globals; a function is a getter. */
function detectWith(globals: Readonly<Record<string, unknown>>): Environment {
  const saved = Object.keys(globals).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  try {
    for (const [name, value] of Object.entries(globals)) {
      const get = typeof value === "function" ? value as () => unknown : () => value;
      Object.defineProperty(globalThis, name, { get, configurable: true });
    }
    return detectEnvironment();
  } finally {
    for (const [name, descriptor] of saved) {
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
      else Reflect.deleteProperty(globalThis, name);
    }
  }
}

for (
  const [url, canCollect] of [
    ["https://shop.example/", true],
    ["http://localhost:8000/", true],
    ["capacitor://localhost/", true],
    ["chrome-extension://abcdefghijklmnop/popup.html", true],
    ["about:blank", false], // an empty frame, or a page of a file
    ["file:///teas.html", false],
  ] as const
) {
  Deno.test(`detectEnvironment() finds ${canCollect ? "a" : "no"} page at ${url}, and warns where it's none`, () =>
    withWindow(`${url}?a#b`, ({ window, document, location }) => {
      const warnings: unknown[] = [];
      const console = { warn: (message: unknown) => warnings.push(message) };
      const environment = detectWith({ window, document, location, console });

      assertEquals(environment.canCollect ? environment.path() : false, canCollect && url);
      assertEquals(warnings, canCollect ? [] : [`[Vendor] nothing is collected on ${location.protocol}`]);
    }));
}

Deno.test("detectEnvironment() takes the page's window, also where that isn't the global scope", () =>
  withWindow("https://shop.example/", ({ window, document, location }) => {
    const environment = detectWith({ window, document, location });

    assertEquals(environment.canCollect && environment.screen().screenWidth, window.screen.width);
  }));

const look = { nodeType: 1 };
for (
  const [what, globals] of [
    ["a server", {}],
    ["a window without a document", { window: {}, location: { protocol: "https:" } }],
    ["a look-alike of a document", { window: { document: look }, document: look, location: { protocol: "https:" } }],
    ["a window that throws", {
      window() {
        throw new Error("not here");
      },
    }],
  ] as const
) Deno.test(`detectEnvironment() takes ${what} for no page`, () => assertEquals(detectWith(globals).canCollect, false));
