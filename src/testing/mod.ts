/**
 * For tests of code that records events: `captureVendor()` lets `Vendor` run in a test browser, and tells what it
 * recorded; `checkPlan()` checks events against a plan.
 *
 * The test browser is a browser in memory: it records what a page sends, answers as it's told, and hides, shows,
 * navigates and goes offline when the test says so. Time passes by hand, and ids are the same in every run.
 *
 * @example Test code that calls `Vendor`.
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { captureVendor } from "@vendor/sdk/testing";
 *
 * const page = captureVendor(Vendor);
 *
 * Vendor.step("tea_chosen", { name: "Sencha" }); // in the code under test
 *
 * const [step] = page.steps("tea_chosen");
 * if (step?.properties?.name !== "Sencha") throw new Error("not recorded");
 * page.restore();
 * ```
 *
 * @example Test what a client of `createClient()` sends.
 * ```ts
 * import { createClient } from "@vendor/sdk/client";
 * import { createTestBrowser } from "@vendor/sdk/testing";
 *
 * const browser = createTestBrowser();
 * const page = browser.open("https://shop.example/teas", { title: "Teas" });
 * const client = createClient({ apiKey: "pk_test_123" }, page.environment);
 *
 * client.step("tea_chosen", { name: "Sencha" });
 * await browser.advance(5000); // one flush interval
 *
 * const [event] = page.events;
 * if (event?.name !== "tea_chosen" || event.context?.pageTitle !== "Teas") throw new Error("not collected");
 * ```
 *
 * @module
 */
export { type CapturedPage, type CaptureOptions, captureVendor } from "./capture_vendor.ts";
export type { AnySteps, CapturedEvents, CapturedStep } from "./captured_events.ts";
export { checkPlan, type PlanViolation } from "./check_plan.ts";
export { createTestBrowser, type TestBrowser, type TestBrowserOptions } from "./test_browser.ts";
export type { TestResponse } from "./network.ts";
export type { TestPage, TestPageOptions } from "./test_page.ts";
export type { TestRequest } from "./test_request.ts";
export type { ViolationKind } from "../plan/plan_check.ts";
