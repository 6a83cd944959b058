import { attempt } from "../attempt.ts";
import { createStorage } from "./storage.ts";
import { parseRetryAfter } from "./time.ts";
import { listenToLifecycle } from "./lifecycle.ts";
import { normalizeUrl, pathOf } from "../url.ts";
import {
  type Cancel,
  NO_ANSWER,
  type PageEnvironment,
  type TransportAnswer,
  type TransportRequest,
  UNSENDABLE,
} from "./environment.ts";
import { wrapHistory } from "./history.ts";
import { outsideZone } from "./zone.ts";

type Scope = Window & typeof globalThis;

/**
 * Creates the environment of a web page.
 *
 * @param scope The page's global object.
 */
export function createBrowserEnvironment(scope: unknown): PageEnvironment {
  const window = scope as Scope;
  const { document, location } = window;
  const on = (target: EventTarget, type: string, listener: (event: never) => void, isFirst?: boolean): Cancel => {
    const guarded = guard(listener) as EventListener;
    outsideZone(window, () => target.addEventListener(type, guarded, isFirst));
    return () => target.removeEventListener(type, guarded, isFirst);
  };
  return {
    canCollect: true,
    storage: createStorage(() => window.localStorage),
    url: () => location.href,
    path: () => location.origin + location.pathname,
    referrer: () => document.referrer,
    title: () => document.title,
    screen: () => ({ screenWidth: Number(window.screen?.width), screenHeight: Number(window.screen?.height) }),
    now: () => Date.now(),
    elapsed: () => attempt(() => window.performance.now()) ?? Date.now(),
    randomId: () => attempt(() => window.crypto.randomUUID()) ?? randomUuid(window),
    random: Math.random,
    setTimer(callback, delayMs) {
      const timer = outsideZone(window, () => window.setTimeout(guard(callback), delayMs));
      return () => window.clearTimeout(timer);
    },
    whenActive(callback) {
      if ((document as { prerendering?: boolean }).prerendering === true) on(document, "prerenderingchange", callback);
      else callback();
    },
    listen({ navigate, ...listeners }) {
      const cancels = [on(window, "online", () => listeners.show(false))];
      listenToLifecycle(document, (...subscription) => cancels.push(on(window, ...subscription)), listeners);
      if (navigate) {
        cancels.push(on(window, "popstate", () => navigate("pop")), wrapHistory(window.history, guard(navigate)));
      }
      return () => cancels.forEach((cancel) => cancel());
    },
    listenToStorage: (listener) => on(window, "storage", listener),
    send({ url, ...init }, onAnswer) {
      const abort = attempt(() => new AbortController());
      const post = async (): Promise<TransportAnswer> => {
        if (!isSendable(url, init.headers)) return { status: UNSENDABLE };
        try {
          const response = await window.fetch(url, {
            ...init,
            signal: abort?.signal ?? null,
            method: "POST",
            credentials: "omit",
            redirect: "error", // a followed redirect would hand the key to another origin
            referrerPolicy: "no-referrer",
          });
          attempt(() => response.text().catch(String)); // an unread body keeps Chromium's keepalive quota taken
          return readAnswer(response, url);
        } catch {
          return { status: NO_ANSWER };
        }
      };
      outsideZone(window, () => post().then(guard(onAnswer)));
      return () => abort?.abort();
    },
    log: (level, message) => console[level](message),
  };
}

/** Returns whether `fetch()` takes a request: it throws a TypeError for one that it refuses as for one that failed. */
function isSendable(url: string, headers: TransportRequest["headers"]): boolean {
  // No credentials in the URL, and header values of Latin-1 in one line (Fetch standard; Web IDL, ByteString).
  return !/^[^/]*\/\/[^/?#]*@/.test(url) && Object.values(headers).every((value) => /^[\t -\xff]*$/.test(value.trim()));
}

/** Reads an answer: its status decides, whatever else an application's wrapper made of it. */
function readAnswer({ status, url, headers }: Response, sentTo: string): TransportAnswer {
  // Where the network is gone, some service workers answer with a page of the site. A wrapper may have added a query.
  if (!(status > 0) || (url && pathOf(url) !== pathOf(`${normalizeUrl(sentTo)}`))) return { status: NO_ANSWER };
  return { status, retryAfterMs: attempt(() => parseRetryAfter(headers.get("Retry-After"), Date.now())) };
}

/** Keeps what fails from the page's `onerror`: a page may have replaced what the SDK calls with something that throws. */
function guard<P extends unknown[]>(task: (...args: P) => void): (...args: P) => void {
  return (...args) => attempt(() => task(...args));
}

/** Makes a version 4 UUID where `randomUUID` is missing, on plain http (RFC 9562, 5.4). */
function randomUuid({ crypto }: Scope): string {
  const digit = (): number => attempt(() => crypto.getRandomValues(new Uint8Array(1))[0]) ?? Math.random() * 256;
  return "xxxxxxxx-xxxx-4xxx-axxx-xxxxxxxxxxxx".replace(/x/g, () => (digit() & 15).toString(16));
}
