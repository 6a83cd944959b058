import type { ConsentState } from "../../client/base/types.ts";
import { decodeCookie, readCookies } from "../page/cookies.ts";
import { createGuard } from "./create_guard.ts";
import type { ConsentSource } from "./follow_consent.ts";
import { listen, readGlobal } from "../page/page.ts";

/** Settings of {@linkcode fromCookieConsent}. */
export interface FromCookieConsentOptions {
  /** Category of your analytics, as in `categories` of `run()`. */
  readonly category: string;
  /** Service of that category, where visitors can turn it off by itself: as in `services` of the category. */
  readonly service?: string;
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
    /** Returns whether the visitor has accepted a service of a category. */
    acceptedService?(service: string, category: string): boolean;
    /** Returns what is stored: it's read anew with each call. */
    getCookie?(): object;
    /** Returns a setting of `run()`. */
    getConfig?(field: "revision"): unknown;
  };
}

/** The library's cookie, of which nothing is known. */
interface StoredChoice {
  readonly categories?: readonly string[];
  readonly services?: Readonly<Record<string, readonly string[]>>;
  readonly revision?: number;
}

/** Name of the library's cookie, unless a site gives it another. */
const COOKIE_NAME = "cc_cookie";

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
export function fromCookieConsent({ category, service, library }: FromCookieConsentOptions): ConsentSource {
  const findLibrary = () => library ?? readGlobal<NonNullable<typeof library>>("CookieConsent");
  const toState = ({ categories, services }: StoredChoice): ConsentState => {
    const isAccepted = categories?.includes(category) &&
      (service === undefined || services?.[category]?.includes(service));
    return isAccepted ? "granted" : "denied";
  };
  return (report, whenShown) => {
    const guard = createGuard(report);
    guard(() => {
      const current = findLibrary();
      if (!current?.validConsent?.()) return;
      const isAccepted = current.acceptedCategory?.(category) &&
        (service === undefined || current.acceptedService?.(service, category));
      report(isAccepted ? "granted" : "denied");
    });
    // The library answers from its memory: another page may have stored something else since.
    whenShown(() => {
      const stored = readStored(findLibrary());
      report(stored ? toState(stored) : "pending");
    });
    // The first answer and each load after it; then each change.
    return listen(
      ["cc:onConsent", "cc:onChange"],
      (event) =>
        guard(() => report(toState((event as CustomEvent<{ readonly cookie?: StoredChoice }>).detail.cookie ?? {}))),
    );
  };
}

/** Returns the choice that is stored and still good. */
function readStored(library: Partial<NonNullable<FromCookieConsentOptions["library"]>> = {}): StoredChoice | undefined {
  const [text = "null"] = readCookies(COOKIE_NAME);
  const stored: StoredChoice | null = library.getCookie ? library.getCookie() : JSON.parse(decodeCookie(text));
  const revision = library.getConfig?.("revision") ?? stored?.revision;
  return stored?.categories && stored.revision === revision ? stored : undefined;
}
