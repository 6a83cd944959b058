import { onShown } from "../page/on_shown.ts";
import { outsidePageZone, readGlobal } from "../page/page.ts";
import type { ConsentState } from "../../client/base/types.ts";
import { applyConsent, type ConsentClient } from "./apply_consent.ts";
import { createGuard } from "./create_guard.ts";

/**
 * Where the visitor's choice comes from. It calls `report` at once with what it knows, and at each change; it needn't
 * call it before the visitor has answered. It returns what ends it.
 *
 * What it hands to `whenShown` is called when a page that heard nothing for a while is shown: one that was prerendered,
 * or lay in the back/forward cache. It reports what is stored then, since the visitor may have answered on another page.
 *
 * @example A platform of your own, which stores the choice and tells of it by an event of the page.
 * ```ts
 * import { type ConsentSource, followConsent } from "@vendor/sdk/consent";
 * import { Vendor } from "@vendor/sdk";
 *
 * const fromBanner: ConsentSource = (report, whenShown) => {
 *   const look = () => {
 *     const choice = localStorage.getItem("banner:choice");
 *     report(choice === "yes" ? "granted" : choice === "no" ? "denied" : "pending");
 *   };
 *   look();
 *   whenShown(look);
 *   addEventListener("banner:choice", look);
 *   return () => removeEventListener("banner:choice", look);
 * };
 * followConsent(Vendor, fromBanner);
 * ```
 */
export type ConsentSource = (
  report: (state: ConsentState) => void,
  whenShown: (look: () => void) => void,
) => () => void;

/**
 * Makes a client follow a source: applies what the source knows now, and each change. Call it after `init()`.
 *
 * Where a grant comes later than this call, on a page that the visitor came to from elsewhere, the step `$consent` keeps
 * that page's URL and referrer: the pageview may have left as an aggregate, which has no campaign.
 *
 * When a prerendered page is activated, or one comes back from the back/forward cache, the source is asked again, before
 * the client sends anything.
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
export function followConsent(client: ConsentClient, source: ConsentSource): () => void {
  if (readGlobal("document") === undefined) return () => {};
  let last: ConsentState | undefined;
  let isLater = false;
  let isOver = false;
  const report = (state: ConsentState): void => {
    // What a platform says again is no answer: the visitor may have declined in another tab since.
    if (isOver || state === last) return;
    last = state;
    applyConsent(client, state, isLater);
  };
  const guard = createGuard(report);
  const looks: (() => void)[] = [];
  const show = (isFirst: boolean): void => {
    if (isOver || !looks.length) return;
    if (isFirst) {
      last = undefined; // what was said before counts no longer
      isLater = false;
      for (const look of looks) guard(look);
      isLater = true;
    } else if (last) {
      // The client takes storage that was emptied while the page slept for a denial. The saved choice has the last word.
      applyConsent(client, last, false);
    }
  };
  const ends = outsidePageZone(() => [
    onShown(show),
    guard(() => source(report, (look) => looks.push(look))),
  ]);
  // Not before it: a grant that the source knows of must not be interrupted.
  if (!last) report("pending");
  isLater = true;
  return () => {
    isOver = true;
    for (const end of ends) guard(() => end?.());
  };
}
