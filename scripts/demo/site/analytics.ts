/**
 * The SDK as an application uses it: one `init()` at startup.
 *
 * @module
 */
import { Vendor } from "@vendor/sdk";
import { rememberConsent, type RememberedConsent } from "@vendor/sdk/consent";
import { DEMO_KEY } from "../../../src/ingest/server/demo/demo_key.ts";

/** Where the demo's ingest listens; the server writes it into the page. */
export const ENDPOINT: string = document.querySelector<HTMLMetaElement>('meta[name="ingest-endpoint"]')?.content ?? "";

/** Keeps the visitor's choice in a cookie of the shop. */
export const consent: RememberedConsent = rememberConsent(Vendor, { name: "tidewater.consent" });

/** Starts the SDK with the visitor's saved choice. */
export function startAnalytics(): void {
  Vendor.init({
    apiKey: DEMO_KEY,
    endpoint: ENDPOINT,
    consent: consent.saved(),
    trackPageviews: "auto",
    flushInterval: 1500,
    debug: true,
  });
}
