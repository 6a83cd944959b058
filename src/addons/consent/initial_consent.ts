import { readGlobal } from "../page/page.ts";
import type { ConsentState } from "../../client/base/types.ts";

interface PrivateNavigator {
  /** W3C Global Privacy Control, 3.2. */
  readonly globalPrivacyControl?: boolean;
}

/**
 * Returns the consent to start with: the saved choice; else `denied`, where you say so and the visitor's browser asks
 * for it; else `pending`.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { initialConsent } from "@vendor/sdk/consent";
 *
 * const saved = globalThis.localStorage?.getItem("consent");
 * Vendor.init({
 *   apiKey: "pk_live_123",
 *   endpoint: "https://ingest.example.com/v1/events",
 *   consent: initialConsent({ saved, gpc: "denied" }),
 * });
 * ```
 */
export function initialConsent(
  { saved, gpc }: {
    /** The choice that your site saved. Anything but `"granted"` and `"denied"` is none. */
    readonly saved?: string | null | undefined;
    /**
     * `"denied"` takes Global Privacy Control, which a visitor switches on in the browser, for a denial until they choose
     * otherwise. Without it `navigator` isn't read.
     */
    readonly gpc?: "denied" | undefined;
  } = {},
): ConsentState {
  if (saved === "granted" || saved === "denied") return saved;
  return gpc === "denied" && readGlobal<PrivateNavigator>("navigator")?.globalPrivacyControl === true
    ? "denied"
    : "pending";
}
