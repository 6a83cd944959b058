/**
 * The port between the SDK and the platform it runs on. The core knows time, storage, the page and the network only
 * through it.
 *
 * @module
 */

/**
 * Ends a subscription, a timer or a request. Calling it again does nothing.
 *
 * @example
 * ```ts
 * import type { Cancel } from "@vendor/sdk/client";
 * import { createTestBrowser } from "@vendor/sdk/testing";
 *
 * const { environment } = createTestBrowser().open("https://shop.example/");
 * const cancel: Cancel = environment.setTimer(() => {}, 1000);
 * cancel();
 * ```
 */
export type Cancel = () => void;

/**
 * Kind of change of the URL, by the names of the Navigation API: `history.pushState`, `history.replaceState`, or back
 * and forth.
 *
 * @example
 * ```ts
 * import type { NavigationKind } from "@vendor/sdk/client";
 * import { createTestBrowser } from "@vendor/sdk/testing";
 *
 * const page = createTestBrowser().open("https://shop.example/");
 * const kinds: NavigationKind[] = [];
 * page.environment.listen({ navigate: (kind) => kinds.push(kind), hide() {}, show() {} });
 * page.pushState("/teas");
 * if (kinds[0] !== "push") throw new Error("not heard");
 * ```
 */
export type NavigationKind = "push" | "replace" | "traverse";

/**
 * Key-value storage that outlives the page. No member throws, and none is used before the first call.
 *
 * @example
 * ```ts
 * import type { KeyValueStorage } from "@vendor/sdk/client";
 * import { createTestBrowser } from "@vendor/sdk/testing";
 *
 * const storage: KeyValueStorage = createTestBrowser().open("https://shop.example/").environment.storage;
 * if (!storage.set("cart", "3") || storage.get("cart") !== "3") throw new Error("not stored");
 * ```
 */
export interface KeyValueStorage {
  /** Returns the value, or null where there is none or storage is blocked. */
  get(key: string): string | null;
  /** Writes the value. Returns whether the device took it. */
  set(key: string, value: string): boolean;
  /** Removes the value. */
  remove(key: string): void;
  /** Returns the keys that start with the prefix. */
  keys(prefix: string): readonly string[];
}

/**
 * One HTTP POST of a JSON body.
 *
 * @example
 * ```ts
 * import type { TransportRequest } from "@vendor/sdk/client";
 *
 * const request: TransportRequest = {
 *   url: "https://ingest.example/v1/events",
 *   headers: { "Content-Type": "application/json" },
 *   body: "{}",
 *   keepalive: true,
 *   priority: "auto",
 * };
 * ```
 */
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

/**
 * End of a request. Never an exception: failures of delivery are values.
 *
 * @example
 * ```ts
 * import type { TransportAnswer } from "@vendor/sdk/client";
 *
 * const busy: TransportAnswer = { status: 429, retryAfterMs: 60_000 };
 * ```
 */
export interface TransportAnswer {
  /**
   * HTTP status; {@linkcode NO_ANSWER} for a network error or an aborted request, {@linkcode UNSENDABLE} for a request
   * that can't even be built.
   */
  readonly status: number;
  /** Body, once it has been read. It never rejects. Of what it says, only the message of a 401 or 403 counts. */
  readonly text?: Promise<string> | undefined;
  /** `Retry-After` in milliseconds from now, where the answer carried a readable one (RFC 9110, 10.2.3). */
  readonly retryAfterMs?: number | undefined;
}

/**
 * Status of a request that got no answer.
 *
 * @example
 * ```ts
 * import { NO_ANSWER } from "@vendor/sdk/client";
 * import { createTestBrowser } from "@vendor/sdk/testing";
 *
 * createTestBrowser().respond({ status: NO_ANSWER }); // as when the network breaks
 * ```
 */
export const NO_ANSWER = 0;

/**
 * Status of a request that the platform refuses to build: a bad header value, credentials in the URL.
 *
 * @example
 * ```ts
 * import { type TransportAnswer, UNSENDABLE } from "@vendor/sdk/client";
 *
 * const answer: TransportAnswer = { status: UNSENDABLE };
 * ```
 */
export const UNSENDABLE: -1 = -1;

/**
 * Listeners of the SDK to the platform.
 *
 * @example
 * ```ts
 * import type { EnvironmentListeners } from "@vendor/sdk/client";
 * import { createTestBrowser } from "@vendor/sdk/testing";
 *
 * const page = createTestBrowser().open("https://shop.example/");
 * const listeners: EnvironmentListeners = { hide: () => page.setTitle("hidden"), show() {} };
 * page.environment.listen(listeners);
 * page.hide();
 * if (page.environment.title() !== "hidden") throw new Error("not heard");
 * ```
 */
export interface EnvironmentListeners {
  /** The URL may have changed; called after the change. History is wrapped only where this listener is given. */
  readonly navigate?: ((kind: NavigationKind) => void) | undefined;
  /** The page became hidden, or it goes away: for good or into the back/forward cache. */
  readonly hide: () => void;
  /**
   * The page became visible, the network came back, or the page was restored from the back/forward cache (`isRestored`).
   * Told of a restore before the page's own listeners, if that can be: a denial that was missed is found out then.
   */
  readonly show: (isRestored: boolean) => void;
}

/**
 * A change to storage by another page of the origin, as a `StorageEvent` tells (HTML standard, 12.2.1).
 *
 * @example
 * ```ts
 * import type { StorageChange } from "@vendor/sdk/client";
 *
 * const denial: StorageChange = { key: "vendor.sdk.visitor", newValue: null };
 * ```
 */
export interface StorageChange {
  /** The key; null where it cleared everything. */
  readonly key: string | null;
  /** The value now; null where it was removed. */
  readonly newValue: string | null;
  /** The value before; null where there was none. */
  readonly oldValue?: string | null;
}

/**
 * Level of a line for the developer, by the console's names.
 *
 * @example
 * ```ts
 * import type { LogLevel } from "@vendor/sdk/client";
 * import { createTestBrowser } from "@vendor/sdk/testing";
 *
 * const level: LogLevel = "warn";
 * createTestBrowser().open("https://shop.example/").environment.log(level, "left out");
 * ```
 */
export type LogLevel = "log" | "warn";

/** A place without a page to collect from: the SDK checks its configuration there, and is inert. */
export interface HeadlessEnvironment {
  /** Closes the consent gate. */
  readonly canCollect: false;
  /** Writes a line for the developer. */
  log(level: LogLevel, message: string): void;
}

/**
 * A place with a page. No member throws.
 *
 * @example
 * ```ts
 * import type { PageEnvironment } from "@vendor/sdk/client";
 * import { createTestBrowser } from "@vendor/sdk/testing";
 *
 * const { environment } = createTestBrowser().open("https://shop.example/");
 * const wide: PageEnvironment = { ...environment, screen: () => ({ screenWidth: 2560, screenHeight: 1440 }) };
 * ```
 */
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
  /** Returns what an event's context says of the screen: `screen.width` and `screen.height` in CSS pixels. */
  screen(): { readonly screenWidth: number; readonly screenHeight: number };
  /** Returns the time in milliseconds since the Unix epoch. A user or a time server may set it back. */
  now(): number;
  /** Returns milliseconds since some moment of the page's life, for durations: nobody can set it back. */
  elapsed(): number;
  /** Returns a random UUID, version 4. */
  randomId(): string;
  /** Returns a random number from 0 (inclusive) to 1 (exclusive), for the jitter of retries. */
  random(): number;
  /** Calls back once after the delay in milliseconds, as given. */
  setTimer(callback: () => void, delayMs: number): Cancel;
  /**
   * Calls back in this task. Where the page is being prerendered, one task after it's shown at last, if ever: what reads
   * the visitor's saved choice then speaks first.
   */
  whenActive(callback: () => void): void;
  /** Subscribes to the page's life. Touches no storage. */
  listen(listeners: EnvironmentListeners): Cancel;
  /** Subscribes to what other pages store, which opens the storage of the origin. */
  listenToStorage(listener: (change: StorageChange) => void): Cancel;
  /**
   * Sends a request, in this task. The answer comes later and once, as soon as its status is known.
   *
   * @returns Aborts the request. After the answer it cuts what is still to come of the body.
   */
  send(request: TransportRequest, onAnswer: (answer: TransportAnswer) => void): Cancel;
  /** Writes a line for the developer. */
  log(level: LogLevel, message: string): void;
}

/** The platform the SDK runs on. */
export type Environment = PageEnvironment | HeadlessEnvironment;

/** Returns whether the next attempt may succeed where this one got no answer, or this status. */
export function isTransient(status: number): boolean {
  return /^(0|408|425|429|5(?!01|05)..)$/.test(`${status}`);
}
