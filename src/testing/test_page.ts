import { withoutPassword } from "../client/base/url.ts";
import type { LogLevel, NavigationKind, PageEnvironment } from "../client/platform/environment.ts";
import type { StepEvent } from "../client/base/types.ts";
import type { Clock } from "./clock.ts";
import type { DeviceStorage } from "./device_storage.ts";
import { createLifecycle } from "./lifecycle.ts";
import { acceptedEvents, type Network } from "./network.ts";
import { createPageEnvironment } from "./page_environment.ts";
import { createPageTimers } from "./page_timers.ts";
import { createSessionHistory } from "./session_history.ts";
import type { TestRequest } from "./test_request.ts";
import { createTransport } from "./transport.ts";

/** Options of {@linkcode TestBrowser.open}. */
export interface TestPageOptions {
  /**
   * URL of the page that led here.
   *
   * @default {""}
   */
  readonly referrer?: string;
  /**
   * Title of the document.
   *
   * @default {""}
   */
  readonly title?: string;
  /**
   * Size of the screen in CSS pixels.
   *
   * @default {{ width: 1280, height: 720 }}
   */
  readonly screen?: { readonly width: number; readonly height: number };
  /**
   * Whether the browser loads the page ahead, until {@linkcode TestPage.activate}.
   *
   * @default {false}
   */
  readonly isPrerendering?: boolean;
}

/**
 * A page in a test browser, visible from the start. A member that makes no sense for a page as it is does nothing.
 *
 * @example
 * ```ts
 * import { createClient } from "@vendor/sdk/client";
 * import { createTestBrowser } from "@vendor/sdk/testing";
 *
 * const browser = createTestBrowser();
 * const page = browser.open("https://shop.example/");
 * createClient({ apiKey: "pk_test_123", trackPageviews: true }, page.environment);
 * page.pushState("/teas");
 * page.close();
 * await browser.settle();
 * if (page.events.length !== 2) throw new Error("a pageview is missing");
 * ```
 */
export interface TestPage {
  /** The environment for a client on this page. */
  readonly environment: PageEnvironment;
  /** Requests of the page, also those that failed, oldest first. */
  readonly requests: readonly TestRequest[];
  /** Events of its requests that were answered with a 2xx status, oldest first. */
  readonly events: readonly StepEvent[];
  /** Messages for the developer, oldest first. */
  readonly logs: readonly {
    /** Level of the message. */
    readonly level: LogLevel;
    /** Text of the message. */
    readonly message: string;
  }[];
  /** Uses, up to now, of the members of its environment that tell of the visitor or their device. */
  readonly touched: {
    /** Reads, writes and removals of storage, and subscriptions to it, which a prerendered page may have uncounted. */
    readonly storage: number;
    /** Reads of the full URL. */
    readonly url: number;
    /** Reads of origin and path. */
    readonly path: number;
    /** Reads of the referrer. */
    readonly referrer: number;
    /** Reads of the title. */
    readonly title: number;
    /** Reads of the screen. */
    readonly screen: number;
  };
  /**
   * Adds an entry to the history, as `history.pushState()`. Takes a relative URL.
   *
   * @throws {Error} Where the URL is of another origin.
   */
  pushState(url: string): void;
  /**
   * Changes the current entry, as `history.replaceState()`. Takes a relative URL.
   *
   * @throws {Error} Where the URL is of another origin.
   */
  replaceState(url: string): void;
  /** Goes to a fragment of the page, as a link to `#reviews` does: `popstate` without `pushState()`. Needs no `#`. */
  goToFragment(fragment: string): void;
  /** Goes back by one entry, if there is one. */
  back(): void;
  /** Goes forward by one entry, if there is one. */
  forward(): void;
  /** Sets the title of the document. */
  setTitle(title: string): void;
  /** Hides the page, as when the visitor turns to another tab or app. */
  hide(): void;
  /** Shows it again. */
  show(): void;
  /**
   * Ends the page, as when its tab is closed or the visitor goes to another site: it's hidden, and afterwards hears
   * neither timers nor answers. What it sent with `keepalive` arrives.
   */
  close(): void;
  /**
   * Ends the page, as when its process dies, or is discarded while hidden: none of its handlers runs, and afterwards it
   * hears neither timers nor answers. What it sent with `keepalive` arrives.
   */
  crash(): void;
  /** Puts the page into the back/forward cache: it's hidden, and its time stands still. */
  freeze(): void;
  /** Brings it back from there. Answers to what it sent before don't reach it, as in the strictest browsers. */
  restore(): void;
  /** Shows a page that was prerendered. A client acts a task later. */
  activate(): void;
  /** Clears the storage of the device as the site's own scripts do; its other pages hear of that. */
  clearStorage(): void;
  /** Puts a content security policy in force that blocks requests to the URL. */
  block(url: string): void;
}

/** The device that the pages of a browser share. */
export interface TestDevice {
  /** Time. */
  readonly clock: Clock;
  /** The way to the ingest. */
  readonly network: Network;
  /** Storage, which outlives a page. */
  readonly storage: DeviceStorage;
  /** Makes a UUID, version 4. */
  readonly randomId: () => string;
  /** Makes a number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  /** Subscribes to the return of the network. */
  onOnline(listener: () => void): void;
}

/** Opens a page on a device. */
export function createTestPage(device: TestDevice, url: string, options: TestPageOptions = {}): TestPage {
  const { clock, network, storage } = device;
  const { referrer = "", screen = { width: 1280, height: 720 }, isPrerendering = false } = options;
  let { title = "" } = options;
  const logs: TestPage["logs"][number][] = [];
  const history = createSessionHistory(url);
  const timers = createPageTimers(clock);
  const life = createLifecycle(isPrerendering, timers.set);
  const transport = createTransport({ clock, network });
  const store = storage.open();
  const { environment, touched } = createPageEnvironment({
    storage: store,
    url: () => withoutPassword(history.url()),
    referrer: () => referrer,
    title: () => title,
    screen: () => ({ screenWidth: screen.width, screenHeight: screen.height }),
    now: clock.now,
    elapsed: clock.elapsed,
    randomId: device.randomId,
    random: device.random,
    setTimer: timers.set,
    whenActive: life.whenActive,
    listen: life.listen,
    listenToStorage: (listener) => store.listen((change) => life.isRunning() && listener(change)),
    send: transport.send,
    log: (level, message) => void logs.push({ level, message }),
  }, () => life.phase() !== "prerendering");
  const navigated = (kind: NavigationKind): void => life.notify(({ navigate }) => navigate?.(kind));
  const go = (delta: number): void => {
    if (history.go(delta)) navigated("traverse");
  };
  device.onOnline(() => life.notify(({ show }) => show(false)));
  const stop = (): void => {
    timers.pause();
    transport.leave(true);
  };
  return {
    environment,
    requests: transport.requests,
    get events() {
      return acceptedEvents(transport.requests);
    },
    logs,
    get touched() {
      return touched();
    },
    pushState(url) {
      history.push(url);
      navigated("push");
    },
    replaceState(url) {
      history.replace(url);
      navigated("replace");
    },
    goToFragment(fragment) {
      history.push(`#${fragment.replace(/^#/, "")}`);
      navigated("traverse");
    },
    back: () => go(-1),
    forward: () => go(1),
    setTitle(next) {
      title = next;
    },
    hide: () => life.setVisible(false),
    show: () => life.setVisible(true),
    close() {
      life.leave("closed");
      stop();
    },
    crash() {
      life.end();
      stop();
    },
    freeze() {
      life.leave("frozen");
      timers.pause();
      transport.leave(false);
    },
    restore() {
      life.restore(() => {
        timers.resume();
        transport.comeBack();
      });
    },
    activate: life.activate,
    clearStorage: store.clear,
    block: transport.block,
  };
}
