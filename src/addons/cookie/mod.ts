/**
 * One visitor over the subdomains of a site: the visitor ID and the session lie in first-party cookies of the domain.
 *
 * @example
 * ```ts
 * import { createClient, detectEnvironment } from "@vendor/sdk/client";
 * import { withCookie } from "@vendor/sdk/cookie";
 *
 * const environment = withCookie(detectEnvironment(), { domain: "example.com" });
 * const client = createClient({
 *   apiKey: "pk_live_123",
 *   endpoint: "https://ingest.example.com/v1/events",
 *   consent: "pending",
 * }, environment);
 * client.setConsent("granted");
 * ```
 *
 * @module
 */
import {
  type Environment,
  type EnvironmentListeners,
  type KeyValueStorage,
  NO_ANSWER,
  type PageEnvironment,
  type StorageChange,
} from "../../client/platform/environment.ts";
import { SESSION_MAX_MS } from "../../client/base/limits.ts";
import { SESSION_KEY, VISITOR_KEY } from "../../client/base/keys.ts";
import { createCookies } from "../page/cookies.ts";

/** Where the visitor is one. */
export interface CookieOptions {
  /** The domain that the subdomains share: `example.com` for `www.example.com` and `app.example.com`. */
  readonly domain: string;
}

/** Age of the visitor's cookie at its end: 13 months of 30 days. No visit prolongs it. */
const VISITOR_MAX_AGE_S = 390 * 86_400;

/** Age of the session's cookie at its end. The client decides when the session ends. */
const SESSION_MAX_AGE_S = SESSION_MAX_MS / 1000;

/** Keys of storage whose values lie in cookies. */
const COOKIE_KEYS: readonly string[] = [VISITOR_KEY, SESSION_KEY];

/**
 * Returns an environment whose visitor and session lie in cookies of a domain, so that its subdomains share them.
 * Undelivered events stay in the origin's storage. Cookies are read and written where storage would be: under granted
 * consent, and to erase them. A denial or a `reset()` on one subdomain holds on the others from their next look at the
 * visitor on: the next event or request, when the page is shown or hidden, or at once where the browser has
 * `cookieStore`.
 *
 * Each client needs an environment of its own. A domain that isn't the page's, and one that the browser sets no cookies
 * for, gives a warning, and the origin's storage is used.
 *
 * @param environment Where the client runs. Nothing changes where there is no page.
 * @param options The domain.
 *
 * @example
 * ```ts
 * import { createClient, detectEnvironment } from "@vendor/sdk/client";
 * import { withCookie } from "@vendor/sdk/cookie";
 *
 * const environment = withCookie(detectEnvironment(), { domain: "example.com" });
 * const client = createClient({
 *   apiKey: "pk_live_123",
 *   endpoint: "https://ingest.example.com/v1/events",
 * }, environment);
 * client.step("signup");
 * ```
 */
export function withCookie(environment: Environment, options: CookieOptions): Environment {
  if (!environment.canCollect) return environment;
  const domain = `${options.domain}`.replace(/^\./, "").toLowerCase();
  const { hostname } = new URL(environment.path());
  if (hostname === domain || hostname.endsWith(`.${domain}`)) return shareVisitor(environment, domain, hostname);
  environment.log("warn", `[Vendor] no cookies: ${hostname} isn't in ${domain}`);
  return environment;
}

function shareVisitor(environment: PageEnvironment, domain: string, hostname: string): PageEnvironment {
  const { storage } = environment;
  const cookies = createCookies(domain, hostname);
  /** The visitor of this page, once the cookie has it; empty before, and after a removal. */
  let visitor = "";
  /** The browser sets no cookies for the domain: the origin's storage it is. */
  let isRefused = false;
  let tell: ((change: StorageChange) => void) | undefined;
  let show: EnvironmentListeners["show"] | undefined;

  const isCookie = (key: string): boolean => !isRefused && COOKIE_KEYS.includes(key);
  /**
   * Looks whether the cookie has still the visitor of this page. If not, the client hears of it after this task, as of
   * a change of storage: it may be anywhere in its own work now.
   */
  const isSame = (): boolean => {
    if (!visitor || isRefused) return true;
    const newValue = cookies.read(VISITOR_KEY);
    if (newValue === visitor) return true;
    Promise.resolve().then(() => {
      visitor = "";
      tell?.({ key: VISITOR_KEY, newValue });
    }).catch(() => {}); // nothing of it reaches the page
    return false;
  };
  const keep = (id: string): void => {
    // What the origin had would outlive a denial on another subdomain.
    if (!visitor) COOKIE_KEYS.forEach((key) => storage.remove(key));
    visitor = id;
  };
  const shared: KeyValueStorage = {
    get(key) {
      if (!isCookie(key)) return storage.get(key);
      // For the rest of this task the client goes on with the visitor that it has, and nothing of it is kept.
      if (!isSame()) return key === VISITOR_KEY ? visitor : null;
      const found = cookies.read(key);
      if (key !== VISITOR_KEY) return found;
      if (found && !visitor) COOKIE_KEYS.forEach(cookies.removeNarrower);
      const value = cookies.read(key);
      if (value) {
        keep(value);
        return value;
      }
      // A visitor from before there were cookies, or where there can't be any, or of a part of the domain.
      const earlier = found ?? storage.get(key);
      return earlier && shared.set(key, earlier) ? earlier : null;
    },
    set(key, value) {
      if (!isCookie(key)) return storage.set(key, value);
      if (key !== VISITOR_KEY) return isSame() && cookies.write(key, value, SESSION_MAX_AGE_S);
      // A `reset()` must not bring back what a denial has ended.
      if (!isSame() && cookies.read(key) === null) return false;
      if (!visitor) COOKIE_KEYS.forEach(cookies.removeNarrower); // `reset()` has read none before
      if (cookies.write(key, value, VISITOR_MAX_AGE_S)) {
        keep(value);
        return true;
      }
      isRefused = true;
      environment.log("warn", `[Vendor] no cookies: the browser sets none for ${domain}`);
      return storage.set(key, value);
    },
    remove(key) {
      if (isCookie(key)) {
        cookies.write(key, "", 0);
        cookies.removeNarrower(key);
      }
      if (key === VISITOR_KEY) visitor = "";
      storage.remove(key);
    },
    keys: (prefix) => [
      ...storage.keys(prefix),
      ...COOKIE_KEYS.filter((key) => key.startsWith(prefix) && isCookie(key) && cookies.read(key) !== null),
    ],
  };
  return {
    ...environment,
    storage: shared,
    listen(listeners) {
      show = listeners.show;
      return environment.listen(listeners);
    },
    listenToStorage(listener) {
      tell = listener;
      const cancels = [
        // The visitor isn't in storage, so nothing that becomes of storage is about the visitor.
        environment.listenToStorage((change) => {
          if (isRefused || change.key && !isCookie(change.key)) listener(change);
        }),
        // The client looks for itself, if consent still allows it.
        cookies.listen(VISITOR_KEY, (value) => {
          if (value !== visitor) environment.setTimer(() => show?.(false), 0);
        }),
      ];
      return () => cancels.forEach((cancel) => cancel());
    },
    send(request, onAnswer) {
      // An aggregate is sent without consent, and has no visitor to ask for.
      if (!request.body.includes('"anonymousId"') || isSame()) return environment.send(request, onAnswer);
      // The client hears of the change first, and tries again what that leaves.
      let isCancelled = false;
      Promise.resolve().then(() => isCancelled || onAnswer({ status: NO_ANSWER })).catch(() => {});
      return () => {
        isCancelled = true;
      };
    },
  };
}
