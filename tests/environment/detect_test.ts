import { assertEquals } from "@std/assert";
import { detectEnvironment } from "../../src/environment/detect.ts";
import type { Environment } from "../../src/environment/environment.ts";
import { withWindow } from "./window_scope.ts";

/** Asks whether there is a page while the properties are global ones. */
function detectWith(globals: Readonly<Record<string, PropertyDescriptor>>): boolean {
  return readWith(globals, ({ canCollect }) => canCollect);
}

/** Reads something of the environment while the properties are global ones. */
function readWith<Value>(
  globals: Readonly<Record<string, PropertyDescriptor>>,
  read: (environment: Environment) => Value,
): Value {
  const saved = Object.keys(globals).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  try {
    for (const [name, descriptor] of Object.entries(globals)) {
      Object.defineProperty(globalThis, name, { ...descriptor, configurable: true });
    }
    return read(detectEnvironment());
  } finally {
    for (const [name, descriptor] of saved) {
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
      else Reflect.deleteProperty(globalThis, name);
    }
  }
}

Deno.test("detectEnvironment() finds no page on a server", () => {
  assertEquals(detectEnvironment().canCollect, false);
});

Deno.test("detectEnvironment() finds a page", () =>
  withWindow("https://shop.example/", ({ window, document, location }) => {
    const canCollect = detectWith({
      window: { value: window },
      document: { value: document },
      location: { value: location },
    });

    assertEquals(canCollect, true);
  }));

Deno.test("detectEnvironment() takes the page's window, also where that isn't the global scope", () =>
  withWindow("https://shop.example/", ({ window, document, location }) => {
    const screen = readWith(
      { window: { value: window }, document: { value: document }, location: { value: location } },
      (environment) => environment.canCollect && environment.screen(),
    );

    assertEquals(screen, window.screen);
  }));

Deno.test("detectEnvironment() finds a page on plain http", () =>
  withWindow("http://localhost:8000/", ({ window, document, location }) => {
    const canCollect = detectWith({
      window: { value: window },
      document: { value: document },
      location: { value: location },
    });

    assertEquals(canCollect, true);
  }));

Deno.test("detectEnvironment() takes no page of a file or an empty frame for one", () =>
  withWindow("about:blank", ({ window, document, location }) => {
    const canCollect = detectWith({
      window: { value: window },
      document: { value: document },
      location: { value: location },
    });

    assertEquals(canCollect, false);
  }));

Deno.test("detectEnvironment() takes no window without a document for a page", () => {
  const location = { protocol: "https:" };

  assertEquals(detectWith({ window: { value: {} }, location: { value: location } }), false);
});

Deno.test("detectEnvironment() takes no look-alike of a document for a page", () => {
  const document = { nodeType: 1 };
  const location = { protocol: "https:" };

  assertEquals(
    detectWith({ window: { value: { document } }, document: { value: document }, location: { value: location } }),
    false,
  );
});

Deno.test("detectEnvironment() takes a window that throws for none", () => {
  const window = {
    get() {
      throw new Error("not here");
    },
  };

  assertEquals(detectWith({ window }), false);
});
