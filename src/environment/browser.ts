import {
  type Cancel,
  NO_ANSWER,
  type PageEnvironment,
  type TransportAnswer,
  type TransportRequest,
  UNSENDABLE,
} from "./environment.ts";
import { wrapHistory } from "./history.ts";
import { createStorage } from "./storage.ts";
import { parseRetryAfter } from "./time.ts";
import { outsideZone } from "./zone.ts";

type Scope = Window & typeof globalThis;

/** A body that takes longer after its headers is none of ours to wait for: the status says it all. */
const MAX_BODY_MS = 5000;

/**
 * Creates the environment of a web page.
 *
 * @param scope The page's global object.
 */
export function createBrowserEnvironment(scope: unknown): PageEnvironment {
  const window = scope as Scope;
  const { document, location, navigator } = window;
  /** Whether the page went into the back/forward cache; unknown until it goes anywhere. */
  let isFrozen: boolean | undefined;
  const setTimer = (callback: () => void, delayMs: number): Cancel => {
    const timer = outsideZone(window, () => window.setTimeout(callback, delayMs));
    // A DOM in Node has Node's timers: a test run shouldn't have to wait for ours.
    (timer as { readonly unref?: () => void } | undefined)?.unref?.(); // some pages replace the function
    return () => window.clearTimeout(timer);
  };
  async function post({ url, ...init }: TransportRequest, abort: AbortController): Promise<TransportAnswer> {
    try {
      const response = await window.fetch(url, {
        ...init,
        signal: abort.signal,
        method: "POST",
        mode: "cors",
        credentials: "omit",
        redirect: "error", // a followed redirect would hand the key to another origin
        referrerPolicy: "no-referrer",
      });
      const cancel = setTimer(() => abort.abort(), MAX_BODY_MS);
      await response.text().catch(() => {}); // an unread body keeps Chromium's keepalive quota taken
      cancel();
      // Some service workers answer with a page of their own where the network fails.
      if (response.url && response.url !== new URL(url).href.split("#")[0]) return { status: NO_ANSWER };
      return {
        status: response.status,
        retryAfterMs: parseRetryAfter(response.headers.get("Retry-After"), Date.now()),
      };
    } catch {
      try {
        // fetch() throws a TypeError for a request that can't be built as for one that failed.
        new window.Request(url, { headers: init.headers });
      } catch {
        return { status: UNSENDABLE };
      }
      return { status: NO_ANSWER };
    }
  }
  return {
    canCollect: true,
    storage: createStorage(() => window.localStorage),
    url: () => location.href,
    path: () => location.origin + location.pathname,
    referrer: () => document.referrer,
    title: () => document.title,
    screen: () => Object(window.screen),
    now: () => Math.floor(Date.now()), // some pages make it return a Date, or fractions
    randomId: () => window.crypto.randomUUID?.() ?? randomUuid(window.crypto),
    random: () => Math.random(),
    setTimer,
    whenActive(callback) {
      if (!(document as { prerendering?: boolean }).prerendering) return callback();
      document.addEventListener("prerenderingchange", callback, { once: true });
    },
    exclusively(task) {
      const { locks } = navigator as { locks?: LockManager }; // none on plain http
      // Without a storage of its own, as in a sandboxed frame, a page has nothing to share.
      if (locks) locks.request("vendor.sdk", task).catch(() => {});
      else task();
    },
    isOffline: () => navigator.onLine === false,
    listen({ navigate, hide, show, online, storage, blocked }) {
      const cancels: Cancel[] = [];
      const on = (target: EventTarget, type: string, listener: (event: never) => void, isFirst?: boolean): void => {
        outsideZone(window, () => target.addEventListener(type, listener as EventListener, isFirst));
        cancels.push(() => target.removeEventListener(type, listener as EventListener, isFirst));
      };
      const wake = (isRestored: boolean): void => {
        isFrozen &&= false;
        show(isRestored);
      };
      // pagehide comes first when the page goes; a tab or app switch has only visibilitychange.
      on(window, "pagehide", ({ persisted }: PageTransitionEvent) => {
        isFrozen = persisted;
        hide(!persisted);
      });
      // A restored page hears of it by whichever comes first, which is resume in Chromium, and before the page's own
      // listeners: those of the document run after the window's that capture.
      on(window, "pageshow", ({ persisted }: PageTransitionEvent) => (isFrozen ?? persisted) && wake(true));
      on(window, "resume", () => isFrozen && wake(true), true);
      on(
        window,
        "visibilitychange",
        () => document.visibilityState === "hidden" ? hide(false) : wake(!!isFrozen),
        true,
      );
      on(window, "online", online);
      on(window, "storage", ({ key }: StorageEvent) => storage(key));
      on(document, "securitypolicyviolation", ({ disposition, blockedURI }: SecurityPolicyViolationEvent) => {
        if (disposition === "enforce") blocked(blockedURI);
      });
      if (navigate) {
        on(window, "popstate", () => navigate("pop"));
        cancels.push(wrapHistory(window.history, navigate));
      }
      return () => cancels.forEach((cancel) => cancel());
    },
    send(request, onAnswer) {
      const abort = new AbortController();
      outsideZone(window, () => post(request, abort).then(onAnswer));
      return () => abort.abort();
    },
    log: (level, message) => console[level](message),
  };
}

/** Makes a version 4 UUID where `randomUUID` is missing, on plain http (RFC 9562, 5.4). */
function randomUuid(crypto: Crypto): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => (256 + byte).toString(16).slice(1)).join("")
    .replace(/(.{8})(.{4}).(.{3}).(.{3})/, "$1-$2-4$3-a$4-");
}
