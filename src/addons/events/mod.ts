/**
 * What an application may want to hear of a client: consent that changed, in another tab maybe, and events that were
 * dropped.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { onConsent, onDrop } from "@vendor/sdk/events";
 *
 * Vendor.init({ apiKey: "pk_live_123", endpoint: "https://ingest.example.com/v1/events" });
 * const end = onConsent(Vendor, (state) => document.documentElement.dataset.consent = state);
 * onDrop(Vendor, ({ reason, amount }) => console.warn(`${amount} events dropped: ${reason}`));
 * end();
 * ```
 *
 * @module
 */
export { type EventsClient, onConsent } from "./on_consent.ts";
export { type Drop, onDrop } from "./on_drop.ts";
