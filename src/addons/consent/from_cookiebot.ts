import type { ConsentState } from "../../client/base/types.ts";
import { decodeCookie, readCookies } from "../page/cookies.ts";
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
  return (report, whenShown) => {
    const guard = createGuard(report);
    const look = (): void => guard(() => report(readState(category)));
    look();
    whenShown(() => report(readStored(category)));
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

/** Returns the choice that is stored: another page may have stored it since the script of this one asked. */
function readStored(category: string): ConsentState {
  const [value] = readCookies("CookieConsent");
  if (value === undefined) return "pending";
  const text = decodeCookie(value); // {stamp:'…',necessary:true,statistics:false,method:'explicit',…}
  const isOutOfRegion = text === "-1";
  if (!isOutOfRegion && !new RegExp(`[{,]${category}:true\\b`).test(text)) return "denied";
  return isOutOfRegion || !/[{,]method:'implied'/.test(text) || readGlobal<Cookiebot>("Cookiebot")?.isOutOfRegion
    ? "granted"
    : "pending";
}
