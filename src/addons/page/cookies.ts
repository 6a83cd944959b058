import { readDocument, readGlobal } from "./page.ts";
import type { Cancel } from "../../client/platform/environment.ts";

/** First-party cookies of a domain, for all of its subdomains. No member throws. */
export interface Cookies {
  /** Returns the value, or null where there is none or cookies are blocked. */
  read(name: string): string | null;
  /** Writes the value for some seconds; 0 removes it. Returns whether the browser has it now. */
  write(name: string, value: string, maxAgeS: number): boolean;
  /** Removes what an earlier setting left for less than the domain. */
  removeNarrower(name: string): void;
  /** Hears of what becomes of a cookie, where the browser tells: the new value, or none. */
  listen(name: string, listener: (value: string | undefined) => void): Cancel;
}

/** A change of cookies, as `cookieStore` tells it (Cookie Store API). */
interface CookieChange extends Event {
  readonly changed: readonly { readonly name?: string; readonly value?: string }[];
  readonly deleted: readonly { readonly name?: string }[];
}

/** Interval of the reads where the browser doesn't tell of changes. */
const READ_INTERVAL_MS = 1_000;

/** Returns the values of a page's cookies of one name, say of the host and of its domain, as they are written. */
export function readCookies(name: string): readonly string[] {
  return readDocument("cookie").split("; ").filter((text) => text.startsWith(`${name}=`))
    .map((text) => text.slice(name.length + 1));
}

/** Decodes a cookie's value; one with a percent sign that encodes nothing, as some servers write it, stays as it is. */
export function decodeCookie(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Attributes of a cookie. */
interface CookieAttributes {
  /** Seconds; 0 removes it. */
  readonly maxAgeS: number;
  /** Domain, for all of its subdomains; the host alone where it's left out. */
  readonly domain?: string | undefined;
  /** Whether it's for https and for this machine alone. By default it is where the page is on https. */
  readonly isSecure?: boolean;
}

/** Sets a cookie of the site, for all paths. Throws in a sandboxed frame. */
export function setCookie(name: string, value: string, attributes: CookieAttributes): void {
  const { maxAgeS, domain, isSecure = location.protocol === "https:" } = attributes;
  const text =
    `${name}=${encodeURIComponent(value)}; ${domain ? `Domain=${domain}; ` : ""}Path=/; Max-Age=${maxAgeS}; ` +
    `${isSecure ? "Secure; " : ""}SameSite=Lax`;
  // An element of that name, as in `<img name="cookie">`, is in the place of the document's own property.
  if (typeof document.cookie === "string") document.cookie = text;
  else Reflect.set(Document.prototype, "cookie", text, document);
}

/** Where a cookie is removed. */
interface CookiePlace {
  /** Domain that the cookie is set for from now on. */
  readonly domain: string;
  /** Host of the page. */
  readonly hostname?: string;
  /** As of {@linkcode CookieAttributes}. */
  readonly isSecure?: boolean;
}

/**
 * Removes the cookies of a name that an earlier setting left for less than the domain: for the page's host, or for a
 * domain between. They would have their say beside that of the domain. Throws in a sandboxed frame.
 */
export function removeNarrower(name: string, place: CookiePlace): void {
  const { domain, hostname = location.hostname, ...attributes } = place;
  const end = `.${domain.replace(/^\./, "").toLowerCase()}`;
  for (let host = hostname; host.endsWith(end); host = host.slice(host.indexOf(".") + 1)) {
    setCookie(name, "", { ...attributes, maxAgeS: 0, domain: host });
  }
}

/** Calls back when cookies may have changed: at once where the browser tells (Cookie Store API), else each second. */
export function watchCookies(look: () => void): Cancel {
  const store = findStore();
  if (store) {
    let again: ReturnType<typeof setTimeout> | undefined;
    // On a busy machine Chromium tells another tab of a change before that tab reads it: a denial would be missed there.
    const follow = (): void => {
      look();
      clearTimeout(again);
      again = setTimeout(look, READ_INTERVAL_MS);
    };
    store.addEventListener("change", follow);
    return () => {
      store.removeEventListener("change", follow);
      clearTimeout(again);
    };
  }
  const timer = setInterval(look, READ_INTERVAL_MS);
  return () => clearInterval(timer);
}

/** Returns the browser's store; nothing where it has none, or the page has something else under that name. */
function findStore(): EventTarget | undefined {
  const store = readGlobal<EventTarget>("cookieStore");
  return store instanceof EventTarget && !("nodeType" in store) ? store : undefined;
}

/** Creates access to the cookies of a domain, on a host within it. Touches none. */
export function createCookies(domain: string, hostname: string): Cookies {
  const cookies: Cookies = {
    read(name) {
      try {
        const [value] = readCookies(name);
        return value === undefined ? null : decodeURIComponent(value);
      } catch {
        return null; // a sandboxed frame may not ask, and someone else may have written what can't be decoded
      }
    },
    write(name, value, maxAgeS) {
      try {
        setCookie(name, value, { maxAgeS, domain, isSecure: true });
      } catch {
        // a sandboxed frame
      }
      return cookies.read(name) === value; // browsers say nothing when they refuse one
    },
    removeNarrower(name) {
      try {
        removeNarrower(name, { hostname, domain, isSecure: true });
      } catch {
        // a sandboxed frame
      }
    },
    listen(name, listener) {
      const store = findStore();
      const tell = (event: Event): void => {
        const { changed, deleted } = event as CookieChange;
        const change = changed.find((cookie) => cookie.name === name);
        if (change || deleted.some((cookie) => cookie.name === name)) listener(change?.value);
      };
      store?.addEventListener("change", tell);
      return () => store?.removeEventListener("change", tell);
    },
  };
  return cookies;
}
