import { Window } from "happy-dom";
import { createBrowserEnvironment } from "../../../src/client/platform/browser.ts";
import {
  DRIVER_SCREEN,
  DRIVER_TITLE,
  DRIVER_URL,
  type DriverOptions,
  type PageDriver,
  type SentRequest,
} from "./page_driver.ts";
import { dispatch, override, type WindowScope } from "./window_scope.ts";

/** As strict as a browser's: Deno's looks at header values but not for credentials, happy-dom's the other way round. */
class StrictRequest extends Request {
  constructor(input: RequestInfo | URL, init?: RequestInit) {
    super(input, init);
    const { username, password } = new URL(this.url);
    if (username || password) throw new TypeError("credentials in the URL");
  }
}

/** Opens a page of happy-dom. */
export function openWindowPage({ referrer = "", isPrerendering = false }: DriverOptions = {}): PageDriver {
  const window = new Window({ url: DRIVER_URL });
  const scope = window as unknown as WindowScope;
  const { document, history, navigator, localStorage } = scope;
  const sent: SentRequest[] = [];
  let answer: Parameters<PageDriver["respond"]>[0] = { status: 202 };

  const fetch: typeof globalThis.fetch = async (input, init = {}) => {
    new StrictRequest(input, init);
    sent.push({
      url: String(input),
      headers: { ...init.headers as Record<string, string> },
      body: String(init.body),
      keepalive: init.keepalive === true,
      priority: String(init.priority),
    });
    if (!navigator.onLine) throw new TypeError("offline");
    if (answer !== "hang") {
      const { status, retryAfterS } = answer;
      return new Response("{}", {
        status,
        headers: retryAfterS === undefined ? {} : { "Retry-After": String(retryAfterS) },
      });
    }
    return await new Promise((_, reject) => {
      init.signal?.addEventListener("abort", () => reject(init.signal?.reason));
    });
  };
  const setVisibility = (visibilityState: string): void => {
    override(document, { visibilityState });
    dispatch(scope, { type: "visibilitychange", target: document });
  };
  override(scope, { fetch, Request: StrictRequest, screen: DRIVER_SCREEN });
  override(document, { referrer, prerendering: isPrerendering });
  document.title = DRIVER_TITLE;
  return {
    environment: createBrowserEnvironment(scope),
    sent: () => sent,
    respond(next) {
      answer = next;
    },
    pushState: (url) => history.pushState(null, "", url),
    replaceState: (url) => history.replaceState(null, "", url),
    back: () =>
      new Promise((resolve) => {
        scope.addEventListener("popstate", () => resolve(), { once: true });
        history.back();
      }),
    setTitle(title) {
      document.title = title;
    },
    hide: () => setVisibility("hidden"),
    show: () => setVisibility("visible"),
    leave() {
      dispatch(scope, { type: "pagehide", persisted: true });
      setVisibility("hidden");
    },
    restore() {
      setVisibility("visible");
      dispatch(scope, { type: "pageshow", persisted: true });
    },
    activate() {
      override(document, { prerendering: false });
      dispatch(scope, { type: "prerenderingchange", target: document });
    },
    goOffline() {
      override(navigator, { onLine: false });
      dispatch(scope, { type: "offline" });
    },
    goOnline() {
      override(navigator, { onLine: true });
      dispatch(scope, { type: "online" });
    },
    blockStorage() {
      Object.defineProperty(scope, "localStorage", {
        get() {
          throw new DOMException("denied", "SecurityError");
        },
      });
    },
    fillStorage() {
      const setItem = (): never => {
        throw new DOMException("full", "QuotaExceededError");
      };
      const full = new Proxy(localStorage, {
        get: (device, key) => key === "setItem" ? setItem : Reflect.get(device, key),
      });
      override(scope, { localStorage: full });
    },
    stored: () => Object.fromEntries(Object.entries(localStorage)),
    pass: (durationMs) => new Promise((resolve) => setTimeout(resolve, durationMs + 5)),
    close: () => window.happyDOM.close(),
  };
}
