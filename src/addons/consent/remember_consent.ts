import { attempt, later } from "../../client/base/attempt.ts";
import { removeNarrower, setCookie, watchCookies } from "../page/cookies.ts";
import { onShown } from "../page/on_shown.ts";
import { outsidePageZone, readGlobal, wait } from "../page/page.ts";
import type { ConsentState } from "../../client/base/types.ts";
import { applyConsent, type ConsentClient } from "./apply_consent.ts";
import { createGuard } from "./create_guard.ts";
import { GRANT_WAIT_MS, readChoice } from "./from_cookie.ts";
import { initialConsent } from "./initial_consent.ts";

/** Settings of {@linkcode rememberConsent}. */
export interface RememberConsentOptions {
  /**
   * Name of the cookie. Its value is `granted` or `denied`.
   *
   * @default {"consent"}
   */
  readonly name?: string;
  /**
   * Days for which the choice is kept.
   *
   * @default {180}
   */
  readonly days?: number;
  /** Domain whose subdomains share the choice, such as `example.com`. By default the choice is the host's own. */
  readonly domain?: string;
  /**
   * `"denied"` takes Global Privacy Control, which a visitor switches on in the browser, for a denial until they choose
   * otherwise: nobody asks them. Without it `navigator` isn't read.
   */
  readonly gpc?: "denied";
}

/** The visitor's choice, as a cookie of the site keeps it. Each function works unbound, and none throws. */
export interface RememberedConsent {
  /** Returns the saved choice, for `init()`; `"pending"` where there is none, and on a server. */
  saved(): ConsentState;
  /** Returns whether the visitor has to be asked. On a server it's false. */
  mustAsk(): boolean;
  /**
   * Saves the visitor's choice and tells the client; the other tabs hear of it. A grant is also the step `$consent`, in
   * this tab alone, which has the URL and the referrer of this page, and so its campaign. `"pending"` forgets the choice,
   * and asks again unless Global Privacy Control counts as the answer.
   */
  choose(consent: ConsentState): void;
  /**
   * Calls back now, and whenever it changes whether the visitor has to be asked: in another tab, too. A listener that
   * throws costs nothing.
   *
   * @returns Ends it.
   */
  onChange(listener: (mustAsk: boolean) => void): () => void;
  /** Ends it all: nobody is asked, and no other tab is heard. Consent stays as it is. */
  stop(): void;
}

/**
 * Remembers the visitor's choice in a cookie of the site, for a banner of your own: the SDK stores none. Call it before
 * `init()`, in the same task, and hand {@linkcode RememberedConsent.saved} to that. A client of `createClient()` is there
 * before: start it as `pending`. Where there is no document, it does nothing.
 *
 * The cookie is read whenever a page is shown: when this is called, when a prerendered page is activated, when a page
 * comes back from the back/forward cache. While a page is open, a choice of another tab is heard at once on https and on
 * localhost (Cookie Store API: Chrome 87, Firefox 140, Safari 18.4), and within a second elsewhere. A grant is applied
 * half a second after it was heard: by then this page finds the visitor and the session of that tab on the device. Where
 * the browser refuses the cookie, a choice holds for the page.
 *
 * @param client `Vendor`, or a client of `createClient()`.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { rememberConsent } from "@vendor/sdk/consent";
 *
 * const consent = rememberConsent(Vendor);
 * Vendor.init({
 *   apiKey: "pk_live_123",
 *   endpoint: "https://ingest.example.com/v1/events",
 *   trackPageviews: "auto",
 *   consent: consent.saved(),
 * });
 * const banner = globalThis.document?.querySelector<HTMLElement>("#banner");
 * consent.onChange((mustAsk) => banner?.toggleAttribute("hidden", !mustAsk));
 * banner?.querySelector("button")?.addEventListener("click", () => consent.choose("granted"));
 * ```
 */
export function rememberConsent(client: ConsentClient, options: RememberConsentOptions = {}): RememberedConsent {
  // Code without types passes null, or another thing than a client: the choice is saved all the same.
  const { name = "consent", days = 180, domain, gpc } = Object(options) as RememberConsentOptions;
  const isInPage = readGlobal("document") !== undefined;
  const listeners = new Set<(mustAsk: boolean) => void>();
  let isOver = !isInPage;
  /** The choice of a visitor whose browser refuses the cookie. */
  let unsaved: ConsentState = "pending";
  const guard = createGuard(() => {}); // a sandboxed frame has no cookies
  const read = (): ConsentState => {
    const choice = guard(() => readChoice({ name, granted: "granted", denied: "denied" })) ?? "pending";
    return choice === "pending" ? unsaved : choice;
  };
  const saved = (): ConsentState => isInPage ? initialConsent({ saved: read(), gpc }) : "pending";
  const mustAsk = (): boolean => !isOver && saved() === "pending";
  let last = saved();
  /** Ends the wait with a grant of another tab. */
  let endWait: (() => void) | undefined;
  let wasAsking = mustAsk();
  const tell = (): void => {
    if (wasAsking === mustAsk()) return;
    wasAsking = mustAsk();
    for (const listener of [...listeners]) attempt(() => listener(wasAsking));
  };
  /** Looks at the cookie. `isBehind`: the client may know less than it, or something else. */
  const look = (isBehind = false): void => {
    if (isOver) return;
    attempt(() => {
      // What no cookie keeps doesn't outlast a denial in another tab, of which the client heard.
      if (unsaved === "granted" && client.getConsent() === "denied") unsaved = "denied";
    });
    const state = saved();
    const isNew = state !== last;
    last = state; // first: another tab may choose while the client hears of this
    attempt(() => {
      if (isBehind ? state === client.getConsent() : !isNew) return;
      if (isBehind || state !== "granted") return applyConsent(client, state, false);
      endWait?.();
      endWait = wait(() => look(true), GRANT_WAIT_MS);
    });
    tell();
  };
  // Storage that was emptied while the page slept is a denial to the client.
  const ends = isInPage ? outsidePageZone(() => [onShown(() => look(true)), watchCookies(() => look())]) : [];
  later(() => look(true)); // a client that runs already, or was started without the saved choice
  const save = (choice: ConsentState): void => {
    const maxAgeS = choice === "pending" ? 0 : Math.round(days * 24 * 60 * 60);
    // A cookie of the host that is there from before would have its say beside that of the domain.
    if (domain) {
      setCookie(name, "", { maxAgeS: 0 });
      removeNarrower(name, { domain });
    }
    setCookie(name, choice, { maxAgeS, domain });
  };
  return {
    saved,
    mustAsk,
    choose(choice) {
      if (isOver) return;
      const before = attempt(() => client.getConsent());
      if (["pending", "granted", "denied"].includes(choice)) {
        unsaved = "pending";
        guard(() => save(choice));
        if (read() !== choice) unsaved = choice;
        last = saved();
      }
      // Global Privacy Control denies without a choice. The client says what is wrong with any other value.
      attempt(() => {
        client.setConsent(choice === "pending" && last === "denied" ? last : choice);
        if (choice === "granted" && before !== choice) client.step?.("$consent");
      });
      tell();
    },
    onChange(listener) {
      listeners.add(listener);
      attempt(() => listener(mustAsk()));
      return () => void listeners.delete(listener);
    },
    stop() {
      isOver = true;
      endWait?.();
      for (const end of ends) end();
      tell();
    },
  };
}
