import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { createInstance } from "../../src/client/instance.ts";
import { createTestBrowser } from "../../src/testing/mod.ts";
import { at, only, startVisit } from "../support/visit.ts";

Deno.test("SPEC 4.2 Vendor.init(): is to be called before any other method", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  const vendor = createInstance(page.environment);

  vendor.step("early");
  vendor.init({ apiKey: "pk_1" });
  vendor.step("a");
  await browser.advance(5000);

  assertEquals(page.events.map(({ name }) => name), ["a"]);
});

Deno.test("SPEC 4.2 Vendor.init(): safe to call again, nothing queued is lost", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  const vendor = createInstance(page.environment);

  vendor.init({ apiKey: "pk_1" });
  vendor.step("a");
  vendor.init({ apiKey: "pk_1" });
  vendor.step("b");
  await browser.advance(5000);

  assertEquals(page.events.map(({ name }) => name), ["a", "b"]);
});

Deno.test("SPEC 2.4 and 4.2 Vendor.reset(): clears Identity", async () => {
  const { client, accepted } = startVisit();
  client.identify("user-1", { plan: "pro" });
  client.step("a");

  assertEquals(client.reset(), undefined);
  client.step("b");

  const [a, b] = (await accepted()).map(({ identity }) => identity);
  assertEquals([b?.userId, b?.traits], [null, undefined]);
  assertNotEquals(a?.anonymousId, b?.anonymousId);
});

Deno.test("SPEC 4.2 Vendor.page(): manual pageview capture", async () => {
  const { client, accepted } = startVisit({ trackPageviews: false });

  assertEquals(client.page(), undefined);

  const { name, context } = only(await accepted());
  assertEquals([name, context?.pageUrl], ["$pageview", "https://shop.example/teas"]);
});

Deno.test("SPEC 4.2 Vendor.flush(), beyond the specification: sends now and returns a promise", async () => {
  const { browser, client, page } = startVisit();
  client.step("a");

  const flushed = client.flush();
  await browser.settle();

  assert(flushed instanceof Promise);
  assertEquals(await flushed, undefined);
  assertEquals(at(page.events, 0).name, "a");
});
