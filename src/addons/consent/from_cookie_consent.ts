import { createGuard } from "./create_guard.ts";
import type { ConsentSource } from "./follow_consent.ts";
import { listen, readGlobal } from "../page/page.ts";

/** Settings of {@linkcode fromCookieConsent}. */
export interface FromCookieConsentOptions {
  /** Category of your analytics, as in `categories` of `run()`. */
  readonly category: string;
  /**
   * The library, where `run()` may be over before `followConsent()` is called.
   *
   * @default {globalThis.CookieConsent}
   */
  readonly library?: {
    /** Returns whether the visitor has answered, and the answer is still good. */
    validConsent(): boolean;
    /** Returns whether the visitor has accepted a category. */
    acceptedCategory(category: string): boolean;
  };
}

interface ConsentDetail {
  readonly cookie?: { readonly categories?: readonly string[] };
}

/**
 * Takes the choice from [vanilla-cookieconsent](https://cookieconsent.orestbida.com) 3. Categories that are on without
 * an answer (mode `opt-out`) are none.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { followConsent, fromCookieConsent } from "@vendor/sdk/consent";
 *
 * Vendor.init({ apiKey: "pk_live_123", endpoint: "https://ingest.example.com/v1/events", consent: "pending" });
 * followConsent(Vendor, fromCookieConsent({ category: "analytics" }));
 * ```
 */
export function fromCookieConsent({ category, library }: FromCookieConsentOptions): ConsentSource {
  return (report) => {
    const guard = createGuard(report);
    guard(() => {
      const current = library ?? readGlobal<NonNullable<typeof library>>("CookieConsent");
      if (current?.validConsent?.()) report(current.acceptedCategory?.(category) ? "granted" : "denied");
    });
    // The first answer and each load after it; then each change.
    return listen(["cc:onConsent", "cc:onChange"], (event) =>
      guard(() => {
        const { cookie } = (event as CustomEvent<ConsentDetail>).detail;
        report(cookie?.categories?.includes(category) ? "granted" : "denied");
      }));
  };
}
