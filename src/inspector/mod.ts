/**
 * A panel in the page that shows what the SDK collects: each call and what became of it, consent, visitor, storage and
 * what waits. It changes nothing of what is collected.
 *
 * @example Load it on demand.
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 *
 * Vendor.init({ apiKey: "pk_live_123", consent: "pending" });
 * if (new URLSearchParams(globalThis.location?.search).has("inspect")) {
 *   const { inspect } = await import("@vendor/sdk/inspector");
 *   inspect(Vendor);
 * }
 * ```
 *
 * @module
 */
import { INSIDE, type Inside } from "../inside.ts";
import type { Instance, Operations } from "../instance.ts";
import { createPanel } from "./panel.ts";
import { isWatchable, watchClient } from "./watch.ts";

/**
 * What can be inspected: `Vendor`, the global variable of the script tag, or a client of `createClient()`.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { createClient } from "@vendor/sdk/client";
 * import type { Inspectable } from "@vendor/sdk/inspector";
 *
 * export const clients: Inspectable[] = [Vendor, createClient({ apiKey: "pk_live_123" })];
 * ```
 */
export type Inspectable = Pick<Operations, "getConsent">;

/**
 * A panel that is open.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { inspect, type Inspector } from "@vendor/sdk/inspector";
 *
 * const inspector: Inspector = inspect(Vendor);
 * inspector.close();
 * ```
 */
export interface Inspector {
  /** Whether it's open: `close()` ends it, and so does the visitor. */
  readonly isOpen: boolean;
  /** Takes the panel away, and leaves the client as it was. Calling it again does nothing. */
  close(): void;
}

/**
 * Opens the panel, or returns the one of this client that is open. It sees what happens from now on, and what waits
 * already. Where there is no page, and for what isn't a client of the same version, nothing opens; the latter is a
 * warning in the console.
 *
 * @param target `Vendor`, or a client of `createClient()`.
 *
 * @example
 * ```ts
 * import { createClient } from "@vendor/sdk/client";
 * import { inspect } from "@vendor/sdk/inspector";
 *
 * const client = createClient({ apiKey: "pk_live_123" });
 * const inspector = inspect(client);
 * client.step("signup", { plan: "pro" });
 * inspector.close();
 * ```
 */
export function inspect(target: Inspectable): Inspector {
  const closed: Inspector = { isOpen: false, close: () => {} };
  if (!globalThis.document?.documentElement) return closed;
  const found = (target as { readonly [INSIDE]?: Inside | (() => Instance) } | undefined)?.[INSIDE];
  const operations: Inspectable & Partial<Pick<Instance, "drops" | typeof INSIDE>> = typeof found === "function"
    ? found()
    : target;
  const inside = operations?.[INSIDE];
  if (!isWatchable(inside)) {
    console.warn("[Vendor] nothing to inspect: no client of this version in a page");
    return closed;
  }
  const opened = openOnes.get(inside);
  if (opened) return opened;
  const { getConsent, drops } = operations;
  const watch = watchClient(operations, { ...inside, getConsent, drops });
  let isOpen = true;
  const panel = createPanel(watch, () => inspector.close());
  const inspector: Inspector = {
    get isOpen() {
      return isOpen;
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      openOnes.delete(inside);
      panel.remove();
      watch.close();
    },
  };
  openOnes.set(inside, inspector);
  return inspector;
}

/** The panels that are open, by what they show. */
const openOnes = new WeakMap<Inside, Inspector>();
