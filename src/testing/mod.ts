/**
 * A browser in memory for tests: it records what a page sends, answers as it's told, and hides, shows, navigates and
 * goes offline when the test says so. Time passes by hand, and ids are the same in every run.
 *
 * @example Test what an application collects.
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
export { createTestBrowser, type TestBrowser, type TestBrowserOptions } from "./test_browser.ts";
export type { TestAnswer, TestResponse } from "./network.ts";
export type { TestTouches } from "./page_environment.ts";
export type { TestLog, TestPage, TestPageOptions } from "./test_page.ts";
export type { TestRequest, TestRequestState } from "./test_request.ts";
export { NO_ANSWER, UNSENDABLE } from "../environment/environment.ts";
export type {
  Cancel,
  EnvironmentListeners,
  KeyValueStorage,
  LogLevel,
  NavigationKind,
  PageEnvironment,
  StorageChange,
  TransportAnswer,
  TransportRequest,
} from "../environment/environment.ts";
export type { AggregatePageviewPayload, EventContext, EventRequestPayload, Identity, StepEvent } from "../types.ts";
