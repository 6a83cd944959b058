/**
 * A panel in the page that shows what the SDK collects: each call and what became of it, consent, visitor, storage and
 * what waits. It changes nothing of what is collected.
 *
 * @example Load it on demand.
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 *
 * Vendor.init({ apiKey: "pk_live_123", endpoint: "https://ingest.example.com/v1/events", consent: "pending" });
 * if (new URLSearchParams(globalThis.location?.search).has("inspect")) {
 *   const { inspect } = await import("@vendor/sdk/inspector");
 *   inspect(Vendor);
 * }
 * ```
 *
 * @module
 */
import type { Operations } from "../../client/operations.ts";
import { findInspector, findWatched, INSPECTOR, type Inspector } from "./find_inspector.ts";
import { createPanel } from "./panel.ts";
import { createWatch } from "./watch.ts";

export type { Inspector } from "./find_inspector.ts";

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
 * const client = createClient({ apiKey: "pk_live_123", endpoint: "https://ingest.example.com/v1/events" });
 * const inspector = inspect(client);
 * client.step("signup", { tier: "pro" });
 * inspector.close();
 * ```
 */
export function inspect(target: Pick<Operations, "getConsent">): Inspector {
  const closed: Inspector = { isOpen: false, close: () => {} };
  if (!globalThis.document?.documentElement) return closed;
  const inside = findWatched(target);
  if (!inside) {
    console.warn("[Vendor] nothing to inspect: no client of this version in a page");
    return closed;
  }
  const opened = findInspector(target);
  if (opened) return opened;
  const { on } = inside.hooks;
  const watch = createWatch({ inside: () => findWatched(target) ?? inside, getConsent: target.getConsent });
  const panel = createPanel(watch, () => inspector.close());
  const inspector: Inspector = {
    get isOpen() {
      return on.includes(listener);
    },
    close() {
      if (!inspector.isOpen) return;
      on.splice(on.indexOf(listener), 1);
      panel.remove();
    },
  };
  const listener = Object.assign(watch.hear, { [INSPECTOR]: inspector });
  on.push(listener);
  return inspector;
}
