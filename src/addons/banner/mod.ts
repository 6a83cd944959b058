/**
 * A banner that asks visitors for consent, for sites that have none.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { askConsent } from "@vendor/sdk/banner";
 * import { rememberConsent } from "@vendor/sdk/consent";
 *
 * const consent = rememberConsent(Vendor);
 * Vendor.init({
 *   apiKey: "pk_live_123",
 *   endpoint: "https://ingest.example.com/v1/events",
 *   trackPageviews: "auto",
 *   consent: consent.saved(),
 * });
 * askConsent(consent);
 * ```
 *
 * @module
 */
export { askConsent, type AskConsentOptions, type AskedConsent } from "./ask_consent.ts";
