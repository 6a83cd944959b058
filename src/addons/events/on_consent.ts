import type { ConsentState } from "../../client/base/types.ts";
import type { Operations } from "../../client/operations.ts";
import { hear } from "./hear.ts";

/** What tells of itself: `Vendor`, or a client of `createClient()`. */
export type EventsClient = Pick<Operations, "getConsent">;

/**
 * Calls back whenever consent comes into force: by `init()`, by `setConsent()`, and by a denial in another tab. While a
 * page is prerendered nothing is in force. A listener that throws costs nothing.
 *
 * @param client `Vendor`, or a client.
 * @param listener Gets the state that is in force now. It isn't called for the state that is in force already.
 * @returns Ends it.
 *
 * @example Hide what only a visitor who has accepted may see.
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { onConsent } from "@vendor/sdk/events";
 *
 * const end = onConsent(Vendor, (state) => console.log(`consent is ${state}`));
 * Vendor.init({ apiKey: "pk_live_123", endpoint: "https://ingest.example.com/v1/events", consent: "pending" });
 * Vendor.setConsent("granted");
 * end();
 * ```
 */
export function onConsent(client: EventsClient, listener: (state: ConsentState) => void): () => void {
  return hear("onConsent", client, (change) => {
    if (change.type === "consent") listener(change.state);
  });
}
