/**
 * The SDK as an application uses it: one `init()` at startup, again when the configuration changes.
 *
 * @module
 */
import { type ConsentState, Vendor } from "@vendor/sdk";
import { DEMO_KEY } from "../demo_key.ts";
import type { Mode } from "./settings.ts";

/** Where the demo's ingest listens; the server writes it into the page. */
export const ENDPOINT: string = document.querySelector<HTMLMetaElement>('meta[name="ingest-endpoint"]')?.content ?? "";

/** Prefix of every key that the SDK writes on the device. */
export const SDK_KEY_PREFIX = "vendor.sdk.";

/** Starts the SDK with the visitor's saved choice, or `pending` when there is none. */
export function startAnalytics(consent: ConsentState, mode: Mode): void {
  Vendor.init({
    apiKey: DEMO_KEY,
    endpoint: ENDPOINT,
    consent,
    trackPageviews: mode,
    flushInterval: 1500,
    debug: true,
  });
}
