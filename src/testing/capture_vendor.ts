import { INSIDE } from "../client/inside.ts";
import { createInstance, type Instance } from "../client/instance.ts";
import type { InitConfig, StepEvent } from "../client/base/types.ts";
import {
  type AnySteps,
  type CapturedEvents,
  createCapturedEvents,
  isSuccess,
  withoutRepeats,
} from "./captured_events.ts";
import { createTestBrowser, type TestBrowser, type TestBrowserOptions } from "./test_browser.ts";
import type { TestPage, TestPageOptions } from "./test_page.ts";

/** Configuration of `Vendor` unless the test or the application says otherwise. */
const DEFAULT_CONFIG: InitConfig = { apiKey: "pk_test" };

/**
 * Start of a capture: a page of a test browser, and the configuration of `Vendor`.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { captureVendor } from "@vendor/sdk/testing";
 *
 * const page = captureVendor(Vendor, {
 *   url: "https://shop.example/teas",
 *   title: "Teas",
 *   init: { apiKey: "pk_test_123", trackPageviews: true },
 * });
 * if (page.pageviews[0]?.context?.pageTitle !== "Teas") throw new Error("no pageview");
 * page.restore();
 * ```
 */
export interface CaptureOptions extends TestBrowserOptions, TestPageOptions {
  /**
   * URL of the page.
   *
   * @default {"http://localhost/"}
   */
  readonly url?: string;
  /**
   * Configuration that `Vendor` is started with until the application calls `init()` itself; `false` leaves that to the
   * application, and whatever comes before it is ignored, as in production.
   *
   * @default {{ apiKey: "pk_test" }} under granted consent, without automatic pageviews
   */
  readonly init?: InitConfig | false;
}

/**
 * Events that `Vendor` records while it's captured. They are there at once: reading them makes events of the calls
 * before, and takes a title that a pageview awaits as it is. No time passes, and nothing is sent by it.
 *
 * They are what was delivered, or waits for it. So there is nothing while consent is pending (but for aggregate
 * pageviews with `trackPageviews: "auto"`), and a denial takes away what wasn't delivered yet.
 */
export interface CapturedPage<Steps extends { readonly [Name in keyof Steps]: object | undefined } = AnySteps>
  extends CapturedEvents<Steps> {
  /** The browser in which `Vendor` runs, whose clock is moved by hand. Each {@linkcode reset} brings another one. */
  readonly browser: TestBrowser;
  /** The page in which `Vendor` runs. Each {@linkcode reset} brings another one. */
  readonly tab: TestPage;
  /**
   * Starts over, for the next test: events, consent, user, visitor, storage, time and ids. Call it before each test: the
   * `init()` that was in force at the first reset, an application's own at its import for instance, is repeated with
   * each. What a test gives to `init()` later holds until the next reset.
   */
  reset(): void;
  /** Ends the capture: `Vendor` is as after its import, in the real page if there is one, and awaits `init()`. */
  restore(): void;
}

/**
 * Captures what `Vendor` records: it runs in a page of a test browser from now on, also where there is no document, and
 * sends nothing. Where `Vendor` ran already, that ends as with a denial: what it hadn't sent is thrown away, and its
 * `init()` is forgotten.
 *
 * @throws {TypeError} For anything but the `Vendor` of `@vendor/sdk`.
 * @throws {Error} What is wrong with `init`, as one of five messages.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { captureVendor } from "@vendor/sdk/testing";
 *
 * const page = captureVendor<{ signup: { tier: "free" | "pro" } }>(Vendor);
 *
 * Vendor.identify("user-42");
 * Vendor.step("signup", { tier: "pro" }); // in the code under test
 *
 * const [signup] = page.steps("signup");
 * if (signup?.properties.tier !== "pro" || signup.identity?.userId !== "user-42") throw new Error("not recorded");
 * page.restore();
 * ```
 */
export function captureVendor<Steps extends { readonly [Name in keyof Steps]: object | undefined } = AnySteps>(
  vendor: { init(config: InitConfig): void },
  options: CaptureOptions = {},
): CapturedPage<Steps> {
  const { url = "http://localhost/", init = DEFAULT_CONFIG } = options;
  const use = findWayIn(vendor);
  const previous = use();
  const { environment: { log }, hooks } = previous[INSIDE];
  /** The configuration that reset() starts with; not decided before the first one. */
  let first: { readonly config: InitConfig | undefined } | undefined;
  let config = init || undefined;

  const open = () => {
    const browser = createTestBrowser(options);
    const tab = browser.open(url, options);
    const { environment } = tab;
    const instance = createInstance({
      ...environment,
      log(level, message) {
        environment.log(level, message);
        log(level, message); // a mistake is to be seen in a test's output, too
      },
    }, hooks);
    if (config) instance.init(config);
    use({
      ...instance,
      init(next) {
        instance.init(next);
        config = next;
      },
    });
    return { browser, tab, instance };
  };
  const read = (): readonly StepEvent[] => {
    const { tab, instance } = current;
    instance[INSIDE].finish();
    const sent = tab.requests.filter(({ state, status }) => state === "pending" || isSuccess(status));
    const waiting = instance[INSIDE].batches().flatMap(({ events }) => events);
    return withoutRepeats([
      ...sent.flatMap(({ body }): readonly StepEvent[] => body.events),
      ...waiting.map((text) => JSON.parse(text)),
    ]);
  };
  let current = open();
  end(previous);

  const captured = createCapturedEvents<Steps>(read);
  return {
    get events() {
      return captured.events;
    },
    get pageviews() {
      return captured.pageviews;
    },
    steps: captured.steps,
    get browser() {
      return current.browser;
    },
    get tab() {
      return current.tab;
    },
    reset() {
      first ??= { config };
      config = first.config;
      end(current.instance);
      current = open();
    },
    restore() {
      end(current.instance);
      use(createInstance(undefined, hooks));
    },
  };
}

/** Returns what puts an instance in the place of the one that a `Vendor` has. */
function findWayIn(vendor: { init(config: InitConfig): void }): (next?: Instance) => Instance {
  const way: unknown = Reflect.get(Object(vendor), INSIDE); // a wrong import is undefined
  if (typeof way === "function") return way as (next?: Instance) => Instance;
  const reason = way === undefined
    ? "what it was given isn't that, or stands in for it: a mock"
    : "a client is made with the environment of createTestBrowser(), and the script tag's Vendor can't be captured";
  throw new TypeError(`captureVendor() takes the Vendor of @vendor/sdk: ${reason}`);
}

/** Ends an instance. What waits is thrown away: none of it may leave a test. */
function end(instance: Instance): void {
  instance.init({ apiKey: "ended", consent: "denied" });
  instance.close();
}
