import { assertEquals, assertNotStrictEquals, assertThrows } from "@std/assert";
import { Vendor } from "../mod.ts";
import { createClient } from "../src/client.ts";
import { createTestBrowser } from "../src/testing/mod.ts";

Deno.test("Vendor is inert where there is no document, whatever is called", async () => {
  const before = Object.keys(globalThis);

  Vendor.init({ apiKey: "pk", trackPageviews: "auto" });
  Vendor.step("a", { ok: true });
  Vendor.identify("user-1", { plan: "pro" });
  Vendor.page();
  Vendor.reset();
  await Vendor.flush();

  assertEquals(Object.keys(globalThis), before);
});

Deno.test("Vendor.getConsent() follows setConsent() where there is no document", () => {
  Vendor.init({ apiKey: "pk", consent: "pending" });
  const seen = [Vendor.getConsent()];

  Vendor.setConsent("denied");
  seen.push(Vendor.getConsent());
  Vendor.setConsent("granted");
  seen.push(Vendor.getConsent());

  assertEquals(seen, ["pending", "denied", "granted"]);
});

Deno.test("Vendor.init() throws the five errors where there is no document", () => {
  assertThrows(() => Vendor.init({ apiKey: "" }), Error, "Missing required configuration");
  assertThrows(() => Vendor.init({ apiKey: "pk", endpoint: "?" }), Error, "Invalid endpoint URL");
  assertThrows(() => Vendor.init({ apiKey: "pk", endpoint: "http://x.example/" }), Error, "Endpoint must use https://");
  assertThrows(
    () => Vendor.init({ apiKey: "pk", trackPageviews: "on" as "auto" }),
    Error,
    'trackPageviews must be true, false, or "auto"',
  );
  assertThrows(
    () => Vendor.init({ apiKey: "pk", consent: "no" as "denied" }),
    Error,
    'consent must be "pending", "granted", or "denied"',
  );
});

Deno.test("Vendor.init() that throws leaves the consent in force as it was", () => {
  Vendor.init({ apiKey: "pk", consent: "denied" });

  assertThrows(() => Vendor.init({ apiKey: "", consent: "granted" }));

  assertEquals(Vendor.getConsent(), "denied");
});

Deno.test("Vendor's methods work unbound", () => {
  const { init, step, identify, reset, page, setConsent, getConsent, flush } = Vendor;

  init({ apiKey: "pk", consent: "denied" });
  step("a");
  identify("user-1");
  reset();
  page();
  setConsent("pending");

  assertEquals([getConsent(), flush() instanceof Promise], ["pending", true]);
});

Deno.test("createClient() makes clients apart from each other", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  const one = createClient({ apiKey: "pk_1" }, page.environment);
  const two = createClient({ apiKey: "pk_2", consent: "pending" }, page.environment);

  one.step("a");
  two.step("b");
  one.flush();
  two.flush();
  await browser.settle();

  assertNotStrictEquals(one, two);
  assertEquals([one.getConsent(), two.getConsent()], ["granted", "pending"]);
  assertEquals(page.requests.map(({ headers }) => headers["X-API-Key"]), ["pk_1"]);
  one.close();
  two.close();
});

Deno.test("createClient() has no init()", () => {
  const { environment } = createTestBrowser().open("https://shop.example/");
  const client = createClient({ apiKey: "pk" }, environment);

  assertEquals("init" in client, false);
  client.close();
});
