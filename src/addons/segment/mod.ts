/**
 * The calls of Segment's analytics.js, for a site that has them everywhere: `analytics.track()` and the others stay as
 * they are, and one file changes.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { createAnalytics } from "@vendor/sdk/compat/segment";
 *
 * Vendor.init({ apiKey: "pk_live_123", endpoint: "https://ingest.example.com/v1/events", consent: "pending" });
 * export const analytics = createAnalytics(Vendor);
 *
 * analytics.identify("user-42", { plan: "pro" });
 * analytics.track("Signed Up", { source: "pricing" });
 * ```
 *
 * @module
 */
export { type Analytics, createAnalytics } from "./segment.ts";
