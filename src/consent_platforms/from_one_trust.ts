import type { ConsentState } from "../types.ts";
import type { ConsentSource } from "./follow_consent.ts";
import { defer, listen, readGlobal } from "../environment/page.ts";

/** Settings of {@linkcode fromOneTrust}. */
export interface FromOneTrustOptions {
  /** ID of the group of your analytics, `"C0002"` unless you changed it. */
  readonly group: string;
}

interface OneTrust {
  IsAlertBoxClosed(): boolean;
}

/**
 * Takes the choice from [OneTrust](https://developer.onetrust.com/onetrust/docs/javascript-events-guide). Groups that
 * are active while the banner is open, as under an opt-out rule, are none.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { followConsent, fromOneTrust } from "@vendor/sdk/consent";
 *
 * Vendor.init({ apiKey: "pk_live_123", consent: "pending" });
 * followConsent(Vendor, fromOneTrust({ group: "C0002" }));
 * ```
 */
export function fromOneTrust({ group }: FromOneTrustOptions): ConsentSource {
  return (report) => {
    const look = (): void => report(readState(group));
    look();
    // A task later, since it isn't said whether the banner is taken for closed before the event or after it.
    return listen(["OneTrustGroupsUpdated", "OTConsentApplied"], () => defer(look));
  };
}

function readState(group: string): ConsentState {
  const groups: unknown = readGlobal("OnetrustActiveGroups"); // such as ",C0001,C0002,"
  const isAnswered = readGlobal<OneTrust>("OneTrust")?.IsAlertBoxClosed?.() === true;
  if (typeof groups !== "string" || !isAnswered) return "pending";
  return groups.split(",").includes(group) ? "granted" : "denied";
}
