import type { ConsentState } from "../../client/base/types.ts";
import { createGuard } from "./create_guard.ts";
import type { ConsentSource } from "./follow_consent.ts";
import { listen, readGlobal } from "../page/page.ts";

interface Cookiebot {
  readonly hasResponse: boolean;
  readonly isOutOfRegion: boolean;
  readonly consent: Readonly<Partial<Record<string, boolean | string>>>;
}

/**
 * Takes the choice from [Cookiebot](https://www.cookiebot.com/en/developer/). A consent that Cookiebot gave by itself
 * (`consent.method` is `implied`) is none, but for visitors outside of the regions that your banner is for
 * (`isOutOfRegion`).
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { followConsent, fromCookiebot } from "@vendor/sdk/consent";
 *
 * Vendor.init({ apiKey: "pk_live_123", endpoint: "https://ingest.example.com/v1/events", consent: "pending" });
 * followConsent(Vendor, fromCookiebot({ category: "statistics" }));
 * ```
 */
export function fromCookiebot(
  { category }: { readonly category: "preferences" | "statistics" | "marketing" },
): ConsentSource {
  return (report) => {
    const guard = createGuard(report);
    const look = (): void => guard(() => report(readState(category)));
    look();
    return listen(["CookiebotOnConsentReady", "CookiebotOnAccept", "CookiebotOnDecline"], look);
  };
}

function readState(category: string): ConsentState {
  const { hasResponse, isOutOfRegion, consent } = readGlobal<Cookiebot>("Cookiebot") ?? {};
  if (!consent) return "pending";
  const method = consent["method"];
  // `withdraw()` takes `hasResponse` back as well, and leaves the method.
  if (consent[category] !== true) return hasResponse === true || method === "explicit" ? "denied" : "pending";
  return hasResponse === true && (method !== "implied" || isOutOfRegion === true) ? "granted" : "pending";
}
