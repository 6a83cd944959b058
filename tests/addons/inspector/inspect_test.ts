import { assertEquals } from "@std/assert";
import { createClient } from "../../../src/client/mod.ts";
import { inspect } from "../../../src/addons/inspector/mod.ts";
import { createTestBrowser } from "../../../src/testing/mod.ts";

Deno.test("inspect() opens nothing where there is no document", () => {
  const { environment } = createTestBrowser().open("https://shop.example/");
  const client = createClient({ apiKey: "pk_test" }, environment);

  const inspector = inspect(client);
  inspector.close();

  assertEquals(inspector.isOpen, false);
});
