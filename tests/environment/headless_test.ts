import { assertEquals } from "@std/assert";
import { stub } from "@std/testing/mock";
import { createClient } from "../../src/client.ts";
import { createHeadlessEnvironment } from "../../src/environment/headless.ts";

Deno.test("createHeadlessEnvironment() cannot collect, and has nothing to collect with", () => {
  const environment = createHeadlessEnvironment();

  assertEquals(environment.canCollect, false);
  assertEquals(Object.keys(environment).sort(), ["canCollect", "log"]);
});

Deno.test("createHeadlessEnvironment() writes to the console, by level", () => {
  using warn = stub(console, "warn");
  using debug = stub(console, "debug");
  const environment = createHeadlessEnvironment();

  environment.log("warn", "[Vendor] grave");
  environment.log("debug", "[Vendor] aside");

  assertEquals(warn.calls.map(({ args }) => args), [["[Vendor] grave"]]);
  assertEquals(debug.calls.map(({ args }) => args), [["[Vendor] aside"]]);
});

Deno.test("createHeadlessEnvironment() looks up the console at each line, since test runners replace it", () => {
  const environment = createHeadlessEnvironment();
  using warn = stub(console, "warn");

  environment.log("warn", "late");

  assertEquals(warn.calls.length, 1);
});

Deno.test("createHeadlessEnvironment() makes a client inert whose consent still follows", async () => {
  const client = createClient({ apiKey: "pk_test", trackPageviews: true }, createHeadlessEnvironment());

  client.step("purchase", { total: 1 });
  client.page();
  client.setConsent("denied");
  await client.flush();

  assertEquals(client.getConsent(), "denied");
  assertEquals(client.drops(), {});
});
