import type { ConsentState } from "../../client/base/types.ts";
import { decodeCookie, readCookies } from "../page/cookies.ts";
import { createGuard } from "./create_guard.ts";
import type { ConsentSource } from "./follow_consent.ts";
import { defer, listen, readGlobal } from "../page/page.ts";

interface OneTrust {
  IsAlertBoxClosed(): boolean;
  GetDomainData(): { readonly ShowAlertNotice?: boolean };
}

/**
 * Takes the choice from [OneTrust](https://developer.onetrust.com/onetrust/docs/javascript-events-guide). Groups that
 * are active while the banner is open, as under an opt-out rule, are none. Where the visitor's region shows no banner,
 * the groups count.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { followConsent, fromOneTrust } from "@vendor/sdk/consent";
 *
 * Vendor.init({ apiKey: "pk_live_123", endpoint: "https://ingest.example.com/v1/events", consent: "pending" });
 * followConsent(Vendor, fromOneTrust({ group: "C0002" }));
 * ```
 */
export function fromOneTrust({ group }: { readonly group: string }): ConsentSource {
  return (report, whenShown) => {
    const guard = createGuard(report);
    const look = (): void => guard(() => report(readState(group)));
    look();
    whenShown(() => report(readStored(group)));
    // A task later, since it isn't said whether the banner is taken for closed before the event or after it.
    return listen(["OneTrustGroupsUpdated", "OTConsentApplied"], () => defer(look));
  };
}

function readState(group: string): ConsentState {
  const text: unknown = readGlobal("OnetrustActiveGroups"); // such as ",C0001,C0002,"
  const platform = readGlobal<OneTrust>("OneTrust");
  if (typeof text !== "string") return "pending";
  const groups = text.split(",").filter(Boolean);
  // Before OneTrust knows the region, no group is active: a denial then would erase returning visitors.
  const isSettled = platform?.IsAlertBoxClosed?.() === true || (groups.length > 0 && isWithoutBanner());
  if (!isSettled) return "pending";
  return groups.includes(group) ? "granted" : "denied";
}

/** Returns whether the visitor's region shows no banner. */
function isWithoutBanner(): boolean {
  return readGlobal<OneTrust>("OneTrust")?.GetDomainData?.()?.ShowAlertNotice === false;
}

/** Returns the choice that is stored: another page may have stored it since the script of this one asked. */
function readStored(group: string): ConsentState {
  const [value] = readCookies("OptanonConsent");
  const isAnswered = readCookies("OptanonAlertBoxClosed").length > 0 || isWithoutBanner();
  if (value === undefined || !isAnswered) return "pending";
  const groups = new URLSearchParams(value).get("groups") ?? ""; // such as C0001:1,C0002:0
  return decodeCookie(groups).split(",").includes(`${group}:1`) ? "granted" : "denied";
}
