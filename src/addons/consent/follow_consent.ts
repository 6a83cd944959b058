import { isLanding, outsidePageZone, readGlobal } from "../page/page.ts";
import type { ConsentState } from "../../client/base/types.ts";
import type { Operations } from "../../client/instance.ts";
import { createGuard } from "./create_guard.ts";

/**
 * Where the visitor's choice comes from. It calls `report` at once with what it knows, and at each change; it needn't
 * call it before the visitor has answered. It returns what ends it.
 *
 * @example A platform of your own, which tells the choice by an event of the page.
 * ```ts
 * import { type ConsentSource, followConsent } from "@vendor/sdk/consent";
 * import { Vendor } from "@vendor/sdk";
 *
 * const fromBanner: ConsentSource = (report) => {
 *   const hear = (event: Event) => report((event as CustomEvent<boolean>).detail ? "granted" : "denied");
 *   addEventListener("banner:choice", hear);
 *   return () => removeEventListener("banner:choice", hear);
 * };
 * followConsent(Vendor, fromBanner);
 * ```
 */
export type ConsentSource = (report: (state: ConsentState) => void) => () => void;

/**
 * Makes a client follow a source: applies what the source knows now, and each change. Call it after `init()`.
 *
 * Where a grant comes later than this call, on a page that the visitor came to from elsewhere, the step `$consent` keeps
 * that page's URL and referrer: the pageview may have left as an aggregate, which has no campaign.
 *
 * A source that has no answer of the visitor makes `granted` become `pending`, and leaves `denied` as it is. A platform
 * that throws has none, and a warning says so: `followConsent()` never throws. Where there is no document, nothing
 * happens.
 *
 * @param client `Vendor`, or a client of `createClient()`.
 * @param source Where the choice comes from.
 * @returns Ends it. Consent stays as it is.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { followConsent, fromTcf } from "@vendor/sdk/consent";
 *
 * Vendor.init({ apiKey: "pk_live_123", endpoint: "https://ingest.example.com/v1/events", consent: "pending" });
 * const stop = followConsent(Vendor, fromTcf({ purposes: [1, 8], outsideGdpr: "pending" }));
 * stop();
 * ```
 */
export function followConsent(
  client: Pick<Operations, "getConsent" | "setConsent">,
  source: ConsentSource,
): () => void {
  if (readGlobal("document") === undefined) return () => {};
  let last: ConsentState | undefined;
  let isLater = false;
  let isOver = false;
  const apply = (state: ConsentState): void => {
    const before = client.getConsent();
    // No answer takes a grant back, which nobody gave, and no denial, which Global Privacy Control may have.
    if (state === "pending" && before !== "granted") return;
    client.setConsent(state);
    const { step }: Partial<Operations> = client; // one of the application's own may have none
    if (step && isLater && state === "granted" && before !== state && isLanding()) step.call(client, "$consent");
  };
  const report = (state: ConsentState): void => {
    // What a platform says again is no answer: the visitor may have declined in another tab since.
    if (isOver || state === last) return;
    last = state;
    apply(state);
  };
  const guard = createGuard(report);
  const end = guard(() => outsidePageZone(() => source(report)));
  // Not before it: a grant that the source knows of must not be interrupted.
  if (!last) report("pending");
  isLater = true;
  return () => {
    isOver = true;
    guard(() => end?.());
  };
}
