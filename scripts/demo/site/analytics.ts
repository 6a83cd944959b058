/**
 * The SDK as an application uses it: one `init()` at startup.
 *
 * @module
 */
import { type ConsentState, Vendor } from "@vendor/sdk";
import { DEMO_KEY } from "../demo_key.ts";

/** Where the demo's ingest listens; the server writes it into the page. */
export const ENDPOINT: string = document.querySelector<HTMLMetaElement>('meta[name="ingest-endpoint"]')?.content ?? "";

/** Starts the SDK with the visitor's saved choice, or `pending` when there is none. */
export function startAnalytics(consent: ConsentState): void {
  Vendor.init({
    apiKey: DEMO_KEY,
    endpoint: ENDPOINT,
    consent,
    trackPageviews: "auto",
    flushInterval: 1500,
    debug: true,
  });
}
