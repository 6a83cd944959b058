/**
 * Browser analytics: named events, identity and pageviews, collected as far as the visitor's consent allows.
 *
 * @example Start once, then record.
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 *
 * Vendor.init({
 *   apiKey: "pk_live_123",
 *   endpoint: "https://ingest.example.com/v1/events",
 *   trackPageviews: "auto",
 *   consent: "pending",
 * });
 * Vendor.setConsent("granted");
 * Vendor.step("signup", { plan: "pro" });
 * ```
 *
 * @module
 */
export { Vendor } from "./src/client/vendor.ts";
export type {
  AggregatePageviewPayload,
  Config,
  ConsentState,
  EventContext,
  EventRequestPayload,
  Identity,
  InitConfig,
  Payload,
  StepEvent,
} from "./src/client/base/types.ts";
