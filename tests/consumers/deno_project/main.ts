/**
 * A project that depends on the package by its name, as `deno add jsr:@vendor/sdk` sets it up: type-checked, and run
 * without permissions.
 *
 * @module
 */
import { type InitConfig, Vendor } from "@vendor/sdk";
import { createClient, detectEnvironment } from "@vendor/sdk/client";
import { createAnalytics } from "@vendor/sdk/compat/segment";
import { followConsent, fromCookie, initialConsent } from "@vendor/sdk/consent";
import { withCookie } from "@vendor/sdk/cookie";
import { createIngest, createMemorySink } from "@vendor/ingest";
import { captureVendor, createTestBrowser } from "@vendor/sdk/testing";

const origin = "https://shop.example";
const sink = createMemorySink();
const ingest = createIngest({ keys: [{ apiKey: "pk_test", origins: [origin] }], sink });
const browser = createTestBrowser({ now: Date.now() });
browser.respond(async ({ url, headers, text }) => {
  const { status } = await ingest(new Request(url, { method: "POST", headers: { ...headers, origin }, body: text }));
  return { status };
});

const config: InitConfig = { apiKey: "pk_test", flushInterval: 1000 };
const client = createClient(config, browser.open(`${origin}/teas`).environment);
client.step("tea_chosen", { name: "Sencha" });
await browser.advance(1000);
client.close();

const events = await sink.events();
await sink.close();
if (events.map(({ name }) => name).join() !== "tea_chosen") throw new Error("not stored");

Vendor.init({ ...config, consent: initialConsent() });
followConsent(Vendor, fromCookie({ name: "choice", granted: "yes", denied: "no" }));
Vendor.step("nowhere");
await createAnalytics(Vendor).track("nowhere");
createClient(config, withCookie(detectEnvironment(), { domain: "shop.example" })).close();
await Vendor.flush();
console.log(`${events.length} event from the client to the ingest, consent ${Vendor.getConsent()} without a page`);

const page = captureVendor(Vendor);
Vendor.step("captured");
if (page.steps("captured").length !== 1) throw new Error("not captured");
page.restore();
