import type { ConsentState, InitConfig } from "./base/types.ts";
import { createInstance, type Instance } from "./instance.ts";
import { INSIDE } from "./inside.ts";

// SPEC 4.2
/**
 * The SDK of this page. Importing it does nothing: everything begins with `init()`, which alone throws. Each
 * method works unbound. A wrong argument is a warning, and the call is ignored.
 */
export const Vendor: {
  // SPEC 2.1, 7
  /**
   * Starts collection. A second call starts afresh: the user is forgotten, and the new consent decides over
   * what is unsent. With the same key and endpoint the page isn't counted again.
   *
   * @param config Only `apiKey` is required.
   * @throws {Error} What is wrong with `config`, as one of five messages. What ran before goes on.
   *
   * @example
   * ```ts
   * import { Vendor } from "@vendor/sdk";
   *
   * const hasAccepted = globalThis.document?.cookie.includes("consent=granted");
   * Vendor.init({
   *   apiKey: "pk_live_123",
   *   endpoint: "https://ingest.example.com/v1/events",
   *   trackPageviews: "auto",
   *   consent: hasAccepted ? "granted" : "pending",
   * });
   * ```
   */
  init(config: InitConfig): void;
  // SPEC 2.6, 8
  /**
   * Records an event with the time, page and user of the call. Ignored unless consent is granted.
   *
   * @param name 1-100 characters (Unicode code points).
   * @param properties Become JSON at the call, at most 32 KiB of it; an event with more is dropped with a warning.
   *
   * @example
   * ```ts
   * import { Vendor } from "@vendor/sdk";
   *
   * Vendor.init({ apiKey: "pk_live_123", endpoint: "https://ingest.example.com/v1/events" });
   * Vendor.step("checkout", { items: 3, total: 12.5 });
   * ```
   */
  step(name: string, properties?: object): void;
  // SPEC 2.4
  /**
   * Sets the user from the next event on. They live in memory: call it again after each load. While consent
   * is pending the last call waits for it; while it's denied it's ignored.
   *
   * @param userId 1-1,000 characters (Unicode code points).
   * @param traits Replace earlier ones as a whole. Over 8 KiB of JSON they are left out with a warning.
   *
   * @example
   * ```ts
   * import { Vendor } from "@vendor/sdk";
   *
   * Vendor.init({ apiKey: "pk_live_123", endpoint: "https://ingest.example.com/v1/events" });
   * Vendor.identify("user-42", { plan: "pro" });
   * ```
   */
  identify(userId: string, traits?: object): void;
  // SPEC 2.4
  /**
   * Forgets the user, for a sign-out: next come a new visitor ID and a new session. Earlier events keep their
   * user, and consent stays. Ignored while consent is denied.
   *
   * @example
   * ```ts
   * import { Vendor } from "@vendor/sdk";
   *
   * const signOut = Vendor.reset;
   * Vendor.init({ apiKey: "pk_live_123", endpoint: "https://ingest.example.com/v1/events" });
   * signOut();
   * ```
   */
  reset(): void;
  // SPEC 6
  /**
   * Records a full pageview of the current URL, each time. An automatic one of the same URL that awaits its
   * title becomes it. Ignored unless consent is granted.
   *
   * @param properties As those of {@linkcode Vendor.step}.
   *
   * @example
   * ```ts
   * import { Vendor } from "@vendor/sdk";
   *
   * Vendor.init({ apiKey: "pk_live_123", endpoint: "https://ingest.example.com/v1/events", trackPageviews: false });
   * Vendor.page({ template: "product" });
   * ```
   */
  page(properties?: object): void;
  // SPEC 3, 2.3
  /**
   * Changes the consent state, at once; on a prerendered page once it's shown. A denial throws away what is unsent,
   * aborts what is under way and erases every key of the SDK on the device. The SDK doesn't store the choice.
   *
   * @param state `"pending"`, `"granted"` or `"denied"`.
   *
   * @example
   * ```ts
   * import { Vendor } from "@vendor/sdk";
   *
   * Vendor.init({
   *   apiKey: "pk_live_123",
   *   endpoint: "https://ingest.example.com/v1/events",
   *   trackPageviews: "auto",
   *   consent: "pending",
   * });
   * Vendor.setConsent("granted");
   * ```
   */
  setConsent(state: ConsentState): void;
  // SPEC 2.3
  /**
   * Returns the consent state.
   *
   * @returns `"pending"` before `init()`, and always where there is no document: a server renders for many visitors.
   *
   * @example
   * ```ts
   * import { Vendor } from "@vendor/sdk";
   *
   * if (Vendor.getConsent() === "pending") console.log("show the banner");
   * ```
   */
  getConsent(): ConsentState;
  // SPEC 4.1
  /**
   * Sends now what may be sent. It shortens no wait for a server. Ignored while consent is denied.
   *
   * @returns Resolves when nothing more can be sent now: all is acknowledged, dropped or waiting; after 30 s at the
   * latest. Never rejects.
   *
   * @example
   * ```ts
   * import { Vendor } from "@vendor/sdk";
   *
   * Vendor.init({ apiKey: "pk_live_123", endpoint: "https://ingest.example.com/v1/events" });
   * Vendor.step("export_started");
   * await Vendor.flush();
   * ```
   */
  flush(): Promise<void>;
} = /* @__PURE__ */ createVendor();

/** The environment is looked for with the first call. */
function createVendor(): typeof Vendor {
  let instance: Instance | undefined;
  const use = (next: Instance = instance ?? createInstance()): Instance => instance = next;
  const vendor: Record<PropertyKey, unknown> = { [INSIDE]: use };
  for (const method of ["init", "step", "identify", "reset", "page", "setConsent", "getConsent", "flush"] as const) {
    vendor[method] = (first: never, second: never) => use()[method](first, second);
  }
  return vendor as typeof Vendor;
}
