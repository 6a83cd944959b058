import { warnDeveloper } from "../page/page.ts";
import type { Operations } from "../../client/operations.ts";

/**
 * The calls of analytics.js. Each works unbound. A callback may stand in the place of any argument after the first one
 * that isn't given. Options are accepted and ignored. What a call returns resolves a moment later, after its callback.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { type Analytics, createAnalytics } from "@vendor/sdk/compat/segment";
 *
 * const { track }: Analytics = createAnalytics(Vendor);
 * track("Signed Up", { plan: "pro" });
 * ```
 */
export interface Analytics {
  /** Records a step. The event may be `{ event, properties }`, with options and callback after it. */
  track(
    event: string | object,
    properties?: object | null,
    options?: object | null,
    callback?: (() => void) | null,
  ): Promise<void>;
  /**
   * Sets the user; a call may begin with the traits. Traits of the same user add up while the page lives. Without a user
   * ID the last one holds; before there is one the traits wait for it, with a warning.
   */
  identify(
    userId?: string | number | object | null,
    traits?: object | null,
    options?: object | null,
    callback?: (() => void) | null,
  ): Promise<void>;
  /** Records a full pageview. Category, name and properties, each optional, aren't kept: they give a warning. */
  page(
    category?: string | object | null,
    name?: string | object | null,
    properties?: object | null,
    options?: object | null,
    callback?: (() => void) | null,
  ): Promise<void>;
  /** Forgets the user; a new visitor and a new session begin. */
  reset(): void;
  /** Calls back a moment later: there is nothing to wait for. */
  ready(callback?: (() => void) | null): Promise<void>;
  /** Warns, once: there are no groups. */
  group(
    groupId?: string | number | object | null,
    traits?: object | null,
    options?: object | null,
    callback?: (() => void) | null,
  ): Promise<void>;
  /** Warns, once: there is no alias. */
  alias(
    to?: string | number | object | null,
    from?: string | number | object | null,
    options?: object | null,
    callback?: (() => void) | null,
  ): Promise<void>;
}

/**
 * Creates the calls of analytics.js over `Vendor` or another client.
 *
 * @param client Started by you: `load()` isn't one of the calls.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { createAnalytics } from "@vendor/sdk/compat/segment";
 *
 * Vendor.init({ apiKey: "pk_live_123", endpoint: "https://ingest.example.com/v1/events" });
 * const analytics = createAnalytics(Vendor);
 * analytics.track("Signed Up", { plan: "pro" });
 * ```
 */
export function createAnalytics(
  client: Pick<Operations, "step" | "identify" | "page" | "reset" | "getConsent">,
): Analytics {
  const warned = new Set<string>();
  let user: User = NOBODY;

  const warn = (message: string): void => {
    if (!warned.has(message)) warnDeveloper(message);
    warned.add(message);
  };
  /** Makes a call, and calls back a moment later. */
  const run = async (args: readonly unknown[], call: () => void): Promise<void> => {
    try {
      // A denial forgets the user, and hears of none.
      if (client.getConsent() === "denied") user = NOBODY;
      call();
    } catch {
      warn("ignored: unreadable"); // a getter or a proxy that throws
    }
    await undefined;
    args.find(isFunction)?.();
  };
  return {
    track: (event, ...args) =>
      run(args, () => {
        const { event: name, properties } = isObject(event)
          ? event as Partial<Record<string, unknown>>
          : { event, properties: args[0] };
        // The client warns of what is no name.
        client.step(name as string, isObject(properties) ? properties : undefined);
      }),
    identify: (...args) =>
      run(args, () => {
        const [first] = args;
        const id = typeof first === "string" || typeof first === "number" ? `${first}` : "";
        const given = !id && isObject(first) ? first : args[1];
        if (client.getConsent() === "denied") return client.identify(id); // which says that it's ignored
        // The traits of one user aren't another's.
        const earlier = id && user.id && id !== user.id ? {} : user.traits;
        user = { id: id || user.id, traits: { ...earlier, ...isObject(given) && given } };
        if (user.id) client.identify(user.id, user.traits);
        else warn("identify() without a user ID: its traits wait for one");
      }),
    page: (...args) =>
      run(args, () => {
        if (args.some((arg) => typeof arg === "string" || isObject(arg))) {
          warn("page() keeps no category, name or properties: use track() for them");
        }
        client.page();
      }),
    reset() {
      user = NOBODY;
      client.reset();
    },
    ready: (...args) => run(args, () => {}),
    group: (...args) => run(args, () => warn("group() ignored: use a trait or a property")),
    alias: (...args) => run(args, () => warn("alias() ignored: identify() keeps the visitor")),
  };
}

/** Who was identified, in memory alone. */
interface User {
  /** Empty before there is one. */
  readonly id: string;
  /** All that were given. */
  readonly traits: object;
}

const NOBODY: User = { id: "", traits: {} };

/** Whether analytics.js takes a value for properties, traits or options. */
function isObject(value: unknown): value is object {
  return Object.prototype.toString.call(value) === "[object Object]";
}

function isFunction(value: unknown): value is () => void {
  return typeof value === "function";
}
