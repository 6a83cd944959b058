/**
 * One visitor over the subdomains of a site: the visitor ID and the session lie in first-party cookies of the domain.
 *
 * @example
 * ```ts
 * import { createClient, detectEnvironment } from "@vendor/sdk/client";
 * import { withCookie } from "@vendor/sdk/cookie";
 *
 * const environment = withCookie(detectEnvironment(), { domain: "example.com" });
 * const client = createClient({
 *   apiKey: "pk_live_123",
 *   endpoint: "https://ingest.example.com/v1/events",
 *   consent: "pending",
 * }, environment);
 * client.setConsent("granted");
 * ```
 *
 * @module
 */
export { type CookieOptions, withCookie } from "./with_cookie.ts";
