import type { StepEvent } from "../client/base/types.ts";
import { createClock } from "./clock.ts";
import { createDeviceStorage } from "./device_storage.ts";
import { acceptedEvents, createNetwork, type TestResponse } from "./network.ts";
import { createTestPage, type TestPage, type TestPageOptions } from "./test_page.ts";
import type { TestRequest } from "./test_request.ts";

/** Options of {@linkcode createTestBrowser}. */
export interface TestBrowserOptions {
  /**
   * Time in milliseconds since the Unix epoch.
   *
   * @default {1767225600000} 2026-01-01T00:00:00.000Z
   */
  readonly now?: number;
  /**
   * Makes the random UUIDs.
   *
   * @default `00000000-0000-4000-8000-000000000001`, then `…2` and so on
   */
  readonly ids?: () => string;
  /**
   * Makes the random numbers from 0 (inclusive) to 1 (exclusive).
   *
   * @default {() => 0.5}
   */
  readonly random?: () => number;
  /** Values on the device, by key. */
  readonly storage?: Readonly<Record<string, string>>;
}

/**
 * A browser in memory, whose clock is moved by hand. Its pages share time, network and storage, as the tabs of one
 * site do; for another site, or another visitor, create another one.
 *
 * @example
 * ```ts
 * import { createClient } from "@vendor/sdk/client";
 * import { createTestBrowser } from "@vendor/sdk/testing";
 *
 * const browser = createTestBrowser();
 * for (const url of ["https://shop.example/", "https://shop.example/teas"]) {
 *   createClient({ apiKey: "pk_test_123" }, browser.open(url).environment).step("opened");
 * }
 * await browser.advance(5000); // one flush interval
 * const [first, second] = browser.events;
 * if (first?.identity?.anonymousId !== second?.identity?.anonymousId) throw new Error("two visitors");
 * ```
 */
export interface TestBrowser {
  /** Requests of its pages, also those that failed, oldest first. */
  readonly requests: readonly TestRequest[];
  /** Events of the requests that were answered with a 2xx status, oldest first. */
  readonly events: readonly StepEvent[];
  /**
   * Entries that are stored on the device, by key. A test may change them, as the visitor or another script of the site
   * would: open pages find the change where they read it, but no event tells them, as none tells a page of what its own
   * scripts change.
   */
  readonly storage: Map<string, string>;
  /** Opens a page. */
  open(url: string, options?: TestPageOptions): TestPage;
  /** Returns the time in milliseconds since the Unix epoch. */
  now(): number;
  /** Sets the clock of the device, backwards too. Timers don't notice. */
  setNow(nowMs: number): void;
  /** Sets the random numbers to one of them. */
  setRandom(value: number): void;
  /**
   * Lets time pass: fires the timers that are due, in order, and lets requests be answered and promises settle before,
   * between and after.
   *
   * @param durationMs Milliseconds.
   */
  advance(durationMs: number): Promise<void>;
  /** Lets everything happen that takes no time: as {@linkcode TestBrowser.advance} by 0 ms. */
  settle(): Promise<void>;
  /**
   * Sets how requests are answered that are sent from now on: alike, each as a function says, or not until the test
   * answers them by hand (`"hang"`). A function may return a promise, which {@linkcode TestBrowser.advance} waits for.
   * Unless set, each is answered 202.
   */
  respond(response: TestResponse): void;
  /** Takes the device off the network; requests under way fail. */
  goOffline(): void;
  /** Puts it back, and lets its pages hear of that. */
  goOnline(): void;
  /** Makes storage throw whatever is done with it, as a browser setting or a sandboxed frame does. */
  blockStorage(): void;
  /** Makes storage throw when it's written. */
  fillStorage(): void;
  /** Makes storage work again. */
  openStorage(): void;
}

/**
 * Creates a browser without a page.
 *
 * @example Test what happens when the ingest is down while the visitor leaves.
 * ```ts
 * import { createClient } from "@vendor/sdk/client";
 * import { createTestBrowser } from "@vendor/sdk/testing";
 *
 * const browser = createTestBrowser({ now: Date.UTC(2026, 2, 1) });
 * browser.respond({ status: 503, retryAfterMs: 2000 });
 * const page = browser.open("https://shop.example/checkout");
 * const client = createClient({ apiKey: "pk_test_123" }, page.environment);
 *
 * client.step("purchase", { total: 12.5 });
 * client.flush();
 * await browser.settle();
 * browser.respond({ status: 202 });
 * await browser.advance(60_000);
 * page.close();
 *
 * const [first, second] = page.requests;
 * if (first?.status !== 503 || second?.status !== 202) throw new Error("not sent again");
 * if (first.body.batchId !== second.body.batchId) throw new Error("not the same batch");
 * ```
 */
export function createTestBrowser(options: TestBrowserOptions = {}): TestBrowser {
  const { now = Date.UTC(2026, 0), ids = createTestIds() } = options;
  let { random = () => 0.5 } = options;
  const clock = createClock(now);
  const network = createNetwork(clock);
  const storage = createDeviceStorage(options.storage);
  const onlineListeners: (() => void)[] = [];
  const device = {
    clock,
    network,
    storage,
    randomId: ids,
    random: () => random(),
    onOnline: (listener: () => void) => void onlineListeners.push(listener),
  };
  return {
    requests: network.requests,
    get events() {
      return acceptedEvents(network.requests);
    },
    storage: storage.values,
    open: (url, options) => createTestPage(device, url, options),
    now: clock.now,
    setNow: clock.set,
    setRandom(value) {
      random = () => value;
    },
    advance: clock.advance,
    settle: () => clock.advance(0),
    respond: network.respond,
    goOffline: () => network.setOffline(true),
    goOnline() {
      if (!network.isOffline()) return;
      network.setOffline(false);
      for (const listener of onlineListeners) listener();
    },
    blockStorage: () => storage.setAccess("blocked"),
    fillStorage: () => storage.setAccess("full"),
    openStorage: () => storage.setAccess("open"),
  };
}

/** Creates the ids of a test: `00000000-0000-4000-8000-000000000001` and so on, valid UUIDs of version 4 (RFC 9562). */
function createTestIds(): () => string {
  let count = 0;
  return () => `00000000-0000-4000-8000-${String(++count).padStart(12, "0")}`;
}
