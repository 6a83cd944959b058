import type { Cancel } from "../environment/environment.ts";

/** First-party cookies of a domain, for all of its subdomains. No member throws. */
export interface Cookies {
  /** Returns the value, or null where there is none or cookies are blocked. */
  read(name: string): string | null;
  /** Writes the value for some seconds; 0 removes it. Returns whether the browser has it now. */
  write(name: string, value: string, maxAgeS: number): boolean;
  /** Hears of what becomes of a cookie, where the browser tells: the new value, or none. */
  listen(name: string, listener: (value: string | undefined) => void): Cancel;
}

/** What `cookieStore` tells of a change (Cookie Store API). */
interface CookieChange extends Event {
  readonly changed: readonly { readonly name?: string; readonly value?: string }[];
  readonly deleted: readonly { readonly name?: string }[];
}

/** Creates access to the cookies of a domain. Touches none. */
export function createCookies(domain: string): Cookies {
  const cookies: Cookies = {
    read(name) {
      try {
        const pair = document.cookie.split("; ").find((pair) => pair.startsWith(`${name}=`));
        return pair ? decodeURIComponent(pair.slice(name.length + 1)) : null;
      } catch {
        return null; // a sandboxed frame may not ask, and someone else may have written what can't be decoded
      }
    },
    write(name, value, maxAgeS) {
      const attributes = `Domain=${domain}; Path=/; Max-Age=${maxAgeS}; Secure; SameSite=Lax`;
      try {
        document.cookie = `${name}=${encodeURIComponent(value)}; ${attributes}`;
      } catch {
        // a sandboxed frame
      }
      return cookies.read(name) === value; // browsers say nothing when they refuse one
    },
    listen(name, listener) {
      const store = (globalThis as { cookieStore?: EventTarget }).cookieStore;
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
