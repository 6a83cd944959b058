import { decodeCookie, readCookies, watchCookies } from "../page/cookies.ts";
import type { ConsentState } from "../../client/base/types.ts";
import { createGuard } from "./create_guard.ts";
import type { ConsentSource } from "./follow_consent.ts";
import { isHidden, wait } from "../page/page.ts";

/**
 * How long a grant of another tab waits. Until then that tab's visitor is on the device: a browser's localStorage reaches
 * another process some milliseconds late, and tabs that act at once would each make a visitor of their own.
 */
export const GRANT_WAIT_MS = 500;

/** Settings of {@linkcode fromCookie}. */
export interface FromCookieOptions {
  /** Name of the cookie that your banner or your server sets. */
  readonly name: string;
  /** Its value when the visitor accepted, before or after decoding. */
  readonly granted: string;
  /** Its value when the visitor declined. */
  readonly denied: string;
}

/**
 * Takes the choice from a cookie. Any other value, and none, is no answer. A change is heard of at once, in every tab,
 * where the browser tells of it (Cookie Store API: on https, since Chrome 87, Firefox 140 and Safari 18.4), and within a
 * second elsewhere. A page that is hidden takes a grant for another tab's, and reports it half a second later: by then it
 * finds that tab's visitor and session on the device.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { followConsent, fromCookie } from "@vendor/sdk/consent";
 *
 * Vendor.init({ apiKey: "pk_live_123", endpoint: "https://ingest.example.com/v1/events", consent: "pending" });
 * followConsent(Vendor, fromCookie({ name: "cookie-choice", granted: "all", denied: "necessary" }));
 * ```
 */
export function fromCookie(options: FromCookieOptions): ConsentSource {
  return (report, whenShown) => {
    const guard = createGuard(report); // a sandboxed frame has no cookies
    const look = (): void => guard(() => report(readChoice(options)));
    let endWait: (() => void) | undefined;
    const hear = (): void => {
      const isElsewhere = isHidden() && guard(() => readChoice(options)) === "granted";
      if (!isElsewhere) return look();
      endWait ??= wait(() => {
        endWait = undefined;
        look();
      }, GRANT_WAIT_MS);
    };
    look();
    whenShown(look);
    const end = watchCookies(hear);
    return () => {
      end();
      endWait?.();
    };
  };
}

/** Returns the choice that a cookie has. Throws in a sandboxed frame. */
export function readChoice({ name, granted, denied }: FromCookieOptions): ConsentState {
  // Of cookies of one name, say for the host and for its domain, a denial wins.
  const values = readCookies(name).flatMap((value) => [value, decodeCookie(value)]);
  if (values.includes(denied)) return "denied";
  return values.includes(granted) ? "granted" : "pending";
}
