/**
 * Lets a consent platform decide: what the visitor chose there reaches the SDK, now and at each change.
 *
 * @example The consent platform knows the choice, so every load starts as pending.
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { followConsent, fromKlaro } from "@vendor/sdk/consent";
 *
 * Vendor.init({
 *   apiKey: "pk_live_123",
 *   endpoint: "https://ingest.example.com/v1/events",
 *   trackPageviews: "auto",
 *   consent: "pending",
 * });
 * followConsent(Vendor, fromKlaro({ service: "analytics" }));
 * ```
 *
 * @module
 */
export type { ConsentClient } from "./apply_consent.ts";
export { type ConsentSource, followConsent } from "./follow_consent.ts";
export { fromCookie, type FromCookieOptions } from "./from_cookie.ts";
export { fromCookieConsent, type FromCookieConsentOptions } from "./from_cookie_consent.ts";
export { fromCookiebot } from "./from_cookiebot.ts";
export { fromKlaro, type FromKlaroOptions, type KlaroLibrary } from "./from_klaro.ts";
export { fromOneTrust } from "./from_one_trust.ts";
export { fromTcf, type FromTcfOptions } from "./from_tcf.ts";
export { initialConsent } from "./initial_consent.ts";
export { rememberConsent, type RememberConsentOptions, type RememberedConsent } from "./remember_consent.ts";
