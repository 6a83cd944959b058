import type { DropReason } from "../../client/hooks.ts";
import { hear } from "./hear.ts";
import type { EventsClient } from "./on_consent.ts";

/** Events that were given up. */
export interface Drop {
  /** Why. */
  readonly reason: DropReason;
  /** How many. What the device still has isn't among them. */
  readonly amount: number;
}

/**
 * Calls back whenever events are dropped, to report losses to a monitoring of your own. A denial tells their number alone.
 * A listener that throws costs nothing.
 *
 * @param client `Vendor`, or a client.
 * @param listener Gets the reason and the number.
 * @returns Ends it.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { onDrop } from "@vendor/sdk/events";
 *
 * const losses: Record<string, number> = {};
 * const end = onDrop(Vendor, ({ reason, amount }) => losses[reason] = (losses[reason] ?? 0) + amount);
 * Vendor.init({ apiKey: "pk_live_123", endpoint: "https://ingest.example.com/v1/events" });
 * end();
 * ```
 */
export function onDrop(client: EventsClient, listener: (drop: Drop) => void): () => void {
  return hear("onDrop", client, (change) => {
    if (change.type === "dropped" && change.amount) listener({ reason: change.reason, amount: change.amount });
  });
}
