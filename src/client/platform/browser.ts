import { attempt } from "../base/attempt.ts";
import { createStorage } from "./storage.ts";
import { normalizeUrl, pathOf, withoutPassword } from "../base/url.ts";
import {
  type Cancel,
  type NavigationKind,
  NO_ANSWER,
  type PageEnvironment,
  type TransportAnswer,
  UNSENDABLE,
} from "./environment.ts";
import { parseRetryAfter } from "./time.ts";
import { listenToLifecycle, type Subscribe } from "./lifecycle.ts";
import { wrapHistory } from "./history.ts";
import { outsideZone } from "./zone.ts";

type Scope = Window & typeof globalThis;

/** The Navigation API (HTML standard, 7.2.6), or what a page has under its name. */
type Navigation = EventTarget & { readonly currentEntry?: unknown };

/** Tells of a navigation within the document. */
interface NavigationEvent extends Event {
  readonly navigationType: NavigationKind;
}

/** Keeps what fails from the page's `onerror`: a page may have replaced what the SDK calls with something that throws. */
const guard: <P extends unknown[]>(task: (...args: P) => void) => (...args: P) => void = ((task) => {
  return (...args) => attempt(() => task(...args));
}) satisfies typeof guard;

/**
 * Creates the environment of a web page.
 *
 * @param scope The page's global object.
 */
export const createBrowserEnvironment: (scope: unknown) => PageEnvironment = ((scope) => {
  const window = scope as Scope;
  const { document, location } = window;
  const href = (): string => withoutPassword(location.href);
  // Listeners capture, so those on the window run before those that the page has on its document.
  const on: (target: EventTarget, type: string, listener: (event: never) => void) => Cancel =
    ((target, type, listener) => {
      const guarded = guard(listener) as EventListener;
      outsideZone(window, () => target.addEventListener(type, guarded, true));
      return () => target.removeEventListener(type, guarded, true);
    }) satisfies typeof on;
  const setTimer: PageEnvironment["setTimer"] = ((callback, delayMs) => {
    const timer = outsideZone(window, () => window.setTimeout(guard(callback), delayMs));
    return () => window.clearTimeout(timer);
  }) satisfies typeof setTimer;
  return {
    canCollect: true,
    storage: createStorage(() => window.localStorage),
    url: href,
    path: () => pathOf(href()), // some schemes have no origin
    referrer: () => document.referrer,
    title: () => document.title,
    screen: () => ({ screenWidth: Number(window.screen?.width), screenHeight: Number(window.screen?.height) }),
    now: () => Date.now(),
    elapsed: () => attempt(() => window.performance.now()) ?? Date.now(),
    // On plain http `randomUUID` is missing: a version 4 UUID is made then (RFC 9562, 5.4).
    randomId: () =>
      attempt(() => window.crypto.randomUUID()) ?? "xxxxxxxx-xxxx-4xxx-axxx-xxxxxxxxxxxx".replace(
        /x/g,
        () => (Number(window.crypto.getRandomValues(new Uint8Array(1))[0]) & 15).toString(16),
      ),
    random: Math.random,
    setTimer,
    whenActive(callback) {
      // An element of the page that is named so stands in its place.
      if ((document as { prerendering?: boolean }).prerendering === true) {
        on(document, "prerenderingchange", () => setTimer(callback, 0));
      } else callback();
    },
    listen: (({ navigate, ...listeners }) => {
      const cancels: Cancel[] = [];
      const hear: Subscribe = (...subscription) => cancels.push(on(window, ...subscription));
      listenToLifecycle(document, hear, listeners);
      if (navigate) {
        // It hears more than wrapped methods do. In a sandboxed frame it's silent and has no entry; a page may have an object
        // of its own under that name.
        const cancel = attempt(() => {
          const { navigation } = window as { readonly navigation?: Navigation };
          if (!navigation?.currentEntry) return;
          return on(navigation, "currententrychange", (event: NavigationEvent) => navigate(event.navigationType));
        });
        if (!cancel) hear("popstate", () => navigate("traverse"));
        cancels.push(cancel ?? wrapHistory(window, guard(navigate)));
      }
      return () => cancels.forEach((cancel) => cancel());
    }) satisfies PageEnvironment["listen"],
    listenToStorage: (listener) => on(window, "storage", listener),
    send({ url, ...init }, onAnswer) {
      const abort = new AbortController();
      const options: RequestInit = {
        ...init,
        signal: abort.signal,
        method: "POST",
        credentials: "omit",
        redirect: "error", // a followed redirect would hand the key to another origin
        referrerPolicy: "no-referrer",
      };
      const post = async (): Promise<TransportAnswer> => {
        try {
          const response = await window.fetch(url, options);
          // The status decides, whatever else an application's wrapper made of the answer.
          const { status, headers } = response;
          const text = attempt(() => response.text().catch(String)); // an unread body keeps Chromium's keepalive quota taken
          if (!(status > 0) || isMadeUp(response, url, window)) return { status: NO_ANSWER };
          return { status, text, retryAfterMs: attempt(() => parseRetryAfter(headers.get("Retry-After"), Date.now())) };
        } catch {
          // fetch() throws a TypeError for a request that can't be built as for one that failed. A page may have a Request of
          // its own that builds none.
          const canTell = attempt(() => new window.Request("a:"));
          return { status: canTell && !attempt(() => new window.Request(url, options)) ? UNSENDABLE : NO_ANSWER };
        }
      };
      outsideZone(window, () => post().then(onAnswer).catch(() => {})); // guard() doesn't hear of what fails later
      return () => abort.abort();
    },
    log: (level, message) => console[level](message),
  };
}) satisfies typeof createBrowserEnvironment;

/**
 * Returns whether a service worker made an answer, as some do where the network is gone: a page of the site, or a text of
 * their own.
 */
function isMadeUp({ type, url }: Response, sentTo: string, { location, navigator }: Scope): unknown {
  const target = pathOf(`${normalizeUrl(sentTo)}`); // a wrapper may have added a query
  if (/^\w+:/.test(url)) return pathOf(`${url}`) !== target;
  // Without a service worker, a wrapper of the page made it of an answer, or the page's fetch() is none of a browser.
  return attempt(() => navigator.serviceWorker.controller) &&
    (type === "default" || (type === "basic" && !target.startsWith(`${location.origin}/`)));
}
