/**
 * The port between the SDK and the platform it runs on. The core knows time, storage, the page and
 * the network only through it.
 *
 * @module
 */

/** Ends a subscription or cancels a timer. Calling it again does nothing. */
export type Cancel = () => void;

/** How the URL changed: `history.pushState`, `history.replaceState` or a `popstate` event. */
export type NavigationKind = "push" | "replace" | "pop";

/** What the SDK may read of the current page. Each member reads anew and never throws. */
export interface Page {
  /** Full URL of the page. */
  url(): string;
  /** Origin and path of the page, without query and fragment. */
  path(): string;
  /** `document.referrer`; empty when there is none. */
  referrer(): string;
  /** `document.title`. */
  title(): string;
  /** `screen.width` and `screen.height` in CSS pixels. */
  screen(): { readonly width: number; readonly height: number };
}

/**
 * Key-value storage that outlives the page. Where the device refuses a write (blocked, full), the
 * value lives in memory for the page; no member throws. Nothing is touched before the first call.
 */
export interface KeyValueStorage {
  /** Returns the value, or null. */
  get(key: string): string | null;
  /** Writes the value. */
  set(key: string, value: string): void;
  /** Removes the key. */
  remove(key: string): void;
  /** Returns every key that starts with the prefix, in no particular order. */
  keys(prefix: string): string[];
}

/** One HTTP POST of a JSON body. */
export interface TransportRequest {
  /** Where to, verbatim. */
  readonly url: string;
  /** Request headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string;
  /** Asks the browser to finish the request after the page is gone (Fetch standard, `keepalive`). */
  readonly keepalive: boolean;
  /** True when the page is going away or hidden: the request is then not of low priority. */
  readonly isExit: boolean;
}

/** How a request ended. Never an exception: failures of delivery are values. */
export interface TransportAnswer {
  /**
   * HTTP status; {@linkcode NO_ANSWER} for a network error or an aborted request,
   * {@linkcode UNSENDABLE} for a request that can't even be built.
   */
  readonly status: number;
  /** `Retry-After` in milliseconds from now, where the answer carried a readable one (RFC 9110, 10.2.3). */
  readonly retryAfterMs?: number;
}

/** Status of a request that got no answer. */
export const NO_ANSWER = 0;

/** Status of a request that the platform refuses to build: a bad header value, credentials in the URL. */
export const UNSENDABLE = -1;

/** A request under way. */
export interface Transmission {
  /** Resolves when the answer's body has been read to its end; never rejects. */
  readonly answer: Promise<TransportAnswer>;
  /** Ends the request; the answer is then {@linkcode NO_ANSWER} at once. */
  abort(): void;
}

/** What the SDK wants to hear of the platform. Listeners never throw. */
export interface EnvironmentListeners {
  /** The URL may have changed; called after the change. History is wrapped only for this listener. */
  readonly navigate?: (kind: NavigationKind) => void;
  /** The page became hidden or goes away; `isFinal` when it goes and can't come back. */
  readonly hide?: (isFinal: boolean) => void;
  /** The page became visible, or was restored from the back/forward cache (`isRestored`). */
  readonly show?: (isRestored: boolean) => void;
  /** The network came back. */
  readonly online?: () => void;
  /** Another page of the origin changed a stored key; null when it cleared all. */
  readonly storage?: (key: string | null) => void;
  /** A content security policy in force blocked a request to this URL. */
  readonly blocked?: (url: string) => void;
  /** A prerendered page is shown at last. */
  readonly activate?: () => void;
}

/** The platform the SDK runs on. No member throws. */
export interface Environment {
  /** Whether there is a page to collect from. Where it's false the SDK validates its configuration and is inert. */
  readonly canCollect: boolean;
  /** The current page. */
  readonly page: Page;
  /** Storage that outlives the page. */
  readonly storage: KeyValueStorage;
  /** Current time in milliseconds since the Unix epoch. */
  now(): number;
  /** A random UUID, version 4. */
  randomId(): string;
  /** A random number from 0 (inclusive) to 1 (exclusive), for the jitter of retries. */
  random(): number;
  /** Calls back once after the delay in milliseconds, as given. */
  setTimer(callback: () => void, delayMs: number): Cancel;
  /** Runs the callback while no other page of the origin runs one under the same name, where the platform can tell. */
  withLock(name: string, callback: () => void): void;
  /** Whether the page is being prerendered and hasn't been shown yet. */
  isPrerendering(): boolean;
  /** Whether the platform is sure that there is no network. */
  isOffline(): boolean;
  /** Subscribes the listeners that are given. */
  listen(listeners: EnvironmentListeners): Cancel;
  /** Sends a request. */
  send(request: TransportRequest): Transmission;
  /** Writes a line for the developer. */
  log(level: "debug" | "warn", message: string): void;
}
