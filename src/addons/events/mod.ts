/**
 * Changes in a client that an application may want to hear of: consent that changed, in another tab maybe, and events
 * that were dropped.
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
import { attempt } from "../../client/base/attempt.ts";
import type { ConsentState } from "../../client/base/types.ts";
import type { Change, DropReason } from "../../client/hooks.ts";
import { findInside } from "../../client/inside.ts";
import type { Operations } from "../../client/operations.ts";
import { warnDeveloper } from "../page/page.ts";

/** `Vendor`, or a client of `createClient()`. */
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

/** Events that were given up. */
export interface Drop {
  /** Why. */
  readonly reason: DropReason;
  /** Number of events. Those that the device still has aren't among them. */
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

/** Hears of every change in a client, until it's ended. Warns where there is none, in the name of the caller. */
function hear(caller: string, client: unknown, listener: (change: Change) => void): () => void {
  const on = attempt(() => findInside(client))?.hooks?.on;
  if (!Array.isArray(on) || typeof listener !== "function") {
    warnDeveloper(`${caller}() takes Vendor or a client of this version, and a function`);
    return () => {};
  }
  const own = (change: Change): void => listener(change);
  on.push(own);
  return () => {
    if (on.includes(own)) on.splice(on.indexOf(own), 1);
  };
}
