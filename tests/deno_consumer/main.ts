/**
 * A project that depends on the package by its name, as `deno add jsr:@vendor/sdk` sets it up: type-checked, and run
 * without permissions.
 *
 * @module
 */
import { type InitConfig, type StepEvent, Vendor } from "@vendor/sdk";
import { createClient } from "@vendor/sdk/client";
import { createTestBrowser } from "@vendor/sdk/testing";

const config: InitConfig = { apiKey: "pk_test", flushInterval: 1000 };
const browser = createTestBrowser();
const page = browser.open("https://shop.example/teas");
const client = createClient(config, page.environment);
client.step("tea_chosen", { name: "Sencha" });
await browser.advance(1000);
client.close();

const events: readonly StepEvent[] = page.events;
if (events.map(({ name }) => name).join() !== "tea_chosen") throw new Error("not collected");

Vendor.init(config);
Vendor.step("nowhere");
await Vendor.flush();
console.log(`${events.length} event in the test browser, consent ${Vendor.getConsent()} without a page`);
