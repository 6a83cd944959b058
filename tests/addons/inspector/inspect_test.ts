import { assertEquals } from "@std/assert";
import { stub } from "@std/testing/mock";
import { INSIDE } from "../../../src/client/inside.ts";
import { createClient } from "../../../src/client/mod.ts";
import { inspect } from "../../../src/addons/inspector/mod.ts";
import { createTestBrowser } from "../../../src/testing/mod.ts";
import { withWindow } from "../../client/platform/window_scope.ts";

Deno.test("inspect() opens nothing where there is no document", () => {
  const { environment } = createTestBrowser().open("https://shop.example/");
  const client = createClient({ apiKey: "pk_test" }, environment);

  const inspector = inspect(client);
  inspector.close();

  assertEquals(inspector.isOpen, false);
});

Deno.test("inspect() opens nothing for what fails when it's asked, and throws nothing", () =>
  withWindow("https://shop.example/", (scope) => {
    const fail = (): never => {
      throw new Error("hostile");
    };
    const hostile: readonly unknown[] = [
      undefined,
      null,
      7,
      Object.defineProperty({}, INSIDE, { get: fail }),
      { [INSIDE]: fail },
      { [INSIDE]: () => undefined },
      { [INSIDE]: Object.defineProperty({}, "environment", { get: fail }) },
      { [INSIDE]: { environment: { canCollect: true }, hooks: { on: {} }, batches: fail } },
      new Proxy({}, { get: fail }),
    ];
    using warn = stub(console, "warn");
    Object.assign(globalThis, { document: scope.document });
    try {
      // @ts-expect-error: no clients
      assertEquals(hostile.map((each) => inspect(each).isOpen), hostile.map(() => false));
      assertEquals(warn.calls.length, hostile.length);
    } finally {
      Reflect.deleteProperty(globalThis, "document");
    }
    return Promise.resolve();
  }));
