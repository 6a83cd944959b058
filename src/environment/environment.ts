/**
 * The port between the SDK and the platform it runs on. The core knows time, storage, the page and
 * the network only through it.
 *
 * @module
 */

/** Ends a subscription, a timer or a request. Calling it again does nothing. */
export type Cancel = () => void;

/** How the URL changed: `history.pushState`, `history.replaceState` or a `popstate` event. */
export type NavigationKind = "push" | "replace" | "pop";

/**
 * Key-value storage that outlives the page. Where the device refuses (blocked, full), the value lives in
 * memory for the page; no member throws. Nothing is touched before the first call.
 */
export interface KeyValueStorage {
  /** Returns the value, or null. */
  get(key: string): string | null;
  /** Writes the value. Returns whether the device took it. */
  set(key: string, value: string): boolean;
  /** Removes the value. */
  remove(key: string): void;
  /** Returns the keys that start with the prefix. */
  keys(prefix: string): readonly string[];
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
  /** `"low"` while the page lives, so that the page's own requests go first (Fetch standard, `priority`). */
  readonly priority: "low" | "auto";
}

/** How a request ended. Never an exception: failures of delivery are values. */
export interface TransportAnswer {
  /**
   * HTTP status; {@linkcode NO_ANSWER} for a network error or an aborted request,
   * {@linkcode UNSENDABLE} for a request that can't even be built.
   */
  readonly status: number;
  /** `Retry-After` in milliseconds from now, where the answer carried a readable one (RFC 9110, 10.2.3). */
  readonly retryAfterMs?: number | undefined;
}

/** Status of a request that got no answer. */
export const NO_ANSWER = 0;

/** Status of a request that the platform refuses to build: a bad header value, credentials in the URL. */
export const UNSENDABLE: -1 = -1;

/** What the SDK wants to hear of the platform. Listeners never throw. */
export interface EnvironmentListeners {
  /** The URL may have changed; called after the change. History is wrapped only where this listener is given. */
  readonly navigate?: (kind: NavigationKind) => void;
  /** The page became hidden, or goes away; for good (`isGone`) unless it goes into the back/forward cache. */
  readonly hide: (isGone: boolean) => void;
  /**
   * The page became visible, or was restored from the back/forward cache (`isRestored`). Told of a restore before the
   * page's own listeners, if that can be: a denial that was missed is found out then.
   */
  readonly show: (isRestored: boolean) => void;
  /** The network came back. */
  readonly online: () => void;
  /** Another page of the origin changed what is stored under a key; null if it erased all. */
  readonly storage: (key: string | null) => void;
  /** A content security policy in force blocked a request to this URL. */
  readonly blocked: (url: string) => void;
}

/** A place without a page to collect from: the SDK checks its configuration there, and is inert. */
export interface HeadlessEnvironment {
  /** Closes the consent gate. */
  readonly canCollect: false;
  /** Writes a line for the developer. */
  log(level: "debug" | "warn", message: string): void;
}

/** A place with a page. No member throws. */
export interface PageEnvironment {
  /** Leaves the consent gate to the visitor. */
  readonly canCollect: true;
  /** Storage that outlives the page. */
  readonly storage: KeyValueStorage;
  /** Returns the full URL of the page. */
  url(): string;
  /** Returns origin and path of the page, without query and fragment. */
  path(): string;
  /** Returns `document.referrer`; empty when there is none. */
  referrer(): string;
  /** Returns `document.title`. */
  title(): string;
  /** Returns `screen.width` and `screen.height` in CSS pixels. */
  screen(): { readonly width: number; readonly height: number };
  /** Returns the time in milliseconds since the Unix epoch. */
  now(): number;
  /** Returns a random UUID, version 4. */
  randomId(): string;
  /** Returns a random number from 0 (inclusive) to 1 (exclusive), for the jitter of retries. */
  random(): number;
  /** Calls back once after the delay in milliseconds, as given. */
  setTimer(callback: () => void, delayMs: number): Cancel;
  /** Calls back in this task, or once a page that is being prerendered is shown at last, if ever. */
  whenActive(callback: () => void): void;
  /** Runs the task while no other page of the origin runs one, now or later; where there are no locks, at once. */
  exclusively(task: () => void): void;
  /** Whether the platform is sure that there is no network. */
  isOffline(): boolean;
  /** Subscribes the listeners. */
  listen(listeners: EnvironmentListeners): Cancel;
  /**
   * Sends a request, in this task. The answer comes later and once, when its body has been read to the end, or
   * takes so long that the status has to do.
   *
   * @returns Aborts the request.
   */
  send(request: TransportRequest, onAnswer: (answer: TransportAnswer) => void): Cancel;
  /** Writes a line for the developer. */
  log(level: "debug" | "warn", message: string): void;
}

/** The platform the SDK runs on. */
export type Environment = PageEnvironment | HeadlessEnvironment;
