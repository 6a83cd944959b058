/**
 * Events without a line of code: engagement, links that lead away, downloads, forms, and clicks
 * on elements that you mark. Each is off until it's asked for, and nothing is
 * heard before consent is granted.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { auto } from "@vendor/sdk/auto";
 *
 * auto(Vendor, { engagement: true, outbound: true, downloads: true });
 * Vendor.init({
 *   apiKey: "pk_live_123",
 *   endpoint: "https://ingest.example.com/v1/events",
 *   trackPageviews: "auto",
 *   consent: "pending",
 * });
 * ```
 *
 * @module
 */
export { auto } from "./auto.ts";
export type { AutoOptions } from "./options.ts";
