import type { Hooks } from "../client/hooks.ts";
import type { InitConfig } from "../client/base/types.ts";
import type { VendorGlobal } from "./vendor_global.ts";

/** A method of `Vendor`. */
type Method = keyof VendorGlobal;

/**
 * A call that waits for the SDK: the method, its arguments, the time in milliseconds since the Unix epoch, and the URL
 * of the page, which is its origin and path unless consent was granted. What was called before `init()` has no
 * arguments: it waits for the warning that it deserves.
 */
export type QueuedCall = readonly [method: Method, args: readonly unknown[], timeMs: number, url: string];

/** The stand-in for `Vendor` until the SDK has loaded. Its members are a contract between versions. */
export interface Loader extends VendorGlobal {
  /** The calls so far that consent lets it keep, in order. */
  readonly queue: readonly QueuedCall[];
  /** The rules so far, which `addRules()` puts there: the SDK asks them before it keeps or sends what was queued. */
  beforeSend?: Hooks["beforeSend"];
  /** Forgets the calls, and hands later ones over to the SDK; without one it keeps no more of them. */
  done(vendor?: VendorGlobal): void;
}

/** The part of a page's global object in use. */
export interface GlobalScope {
  /** The SDK, or what stands in for it; or whatever the page has under that name. */
  Vendor?: Partial<Loader>;
}

/** The part of a page's global object that the stand-in uses: no title, no storage. */
export interface LoaderScope extends GlobalScope {
  /** Where the page is. */
  readonly location: {
    readonly href: string;
    readonly protocol: string;
    readonly host: string;
    readonly pathname: string;
  };
  /** Hears of a script that couldn't be loaded. */
  addEventListener(
    type: "error",
    listener: (event: { readonly target: { readonly id?: string } }) => void,
    isCapture: true,
  ): void;
}

/** Most calls that wait; what comes later is lost. */
const MAX_QUEUED_CALLS = 1e4;

/** A `flush()` takes no longer. */
const MAX_FLUSH_MS = 3e4;

/** ID of the script element that loads the SDK. */
const SCRIPT_ID = "vendor-sdk";

/** Consent states, from the one that allows least. */
const STATES: readonly unknown[] = ["denied", "pending", "granted"];

const BEFORE_INIT = -1;
const DENIED = 0;
const PENDING = 1;
const GRANTED = 2;

/** The consent that the SDK carries a call out under, as an index of the states. */
const NEEDS: Readonly<Record<Method, number>> = {
  init: BEFORE_INIT,
  setConsent: DENIED,
  identify: PENDING,
  reset: PENDING,
  step: GRANTED,
  page: GRANTED,
  getConsent: GRANTED,
  flush: GRANTED,
};

/**
 * Returns the SDK of a page, or what stands in for it. Whatever else the page has under that name isn't ours: an element
 * with that ID, a form with fields of our names, a frame, a variable of the page's own.
 */
export function findVendor(scope: GlobalScope): Partial<Loader> | undefined {
  try {
    const vendor = scope.Vendor as Loader;
    if (typeof vendor.setConsent === "function") return vendor;
  } catch {
    // There is none, or it's a frame of another origin, which tells nothing.
  }
}

/**
 * Stands in for `Vendor` until the SDK has loaded: keeps calls in order, with the time and URL of each, as far as the
 * consent of that moment allows, and forgets what a later consent no longer covers in the same task. It checks no
 * configuration: the SDK is asked again when the calls are made, and this only keeps less.
 *
 * This is the snippet of docs/script-tag.md: it reads the clock and the location, and nothing else of the page.
 */
export function installLoader(scope: LoaderScope): void {
  if (findVendor(scope)) return;
  const { location } = scope;
  const queue: QueuedCall[] = [];
  let room = MAX_QUEUED_CALLS;
  let consent = BEFORE_INIT;
  let vendor: VendorGlobal | undefined;
  let end: () => void;
  const ended = new Promise<void>((resolve) => end = resolve);

  const keep = (method: Method, args: readonly unknown[]): void => {
    const isAllowed = consent >= NEEDS[method];
    if (queue.length >= room || (!isAllowed && consent > BEFORE_INIT)) return;
    // Some schemes have no origin.
    const url = consent === GRANTED ? location.href : location.protocol + "//" + location.host + location.pathname;
    queue.push([method, isAllowed ? args : [], Date.now(), url]);
  };
  const change = (state: unknown): void => {
    const next = STATES.indexOf(state);
    if (next < 0) return; // the SDK refuses it
    const isWithdrawal = next < consent;
    consent = next;
    if (!isWithdrawal) return;
    // As if no more had ever been allowed: after a denial, the SDK begins with that, and erases.
    const restrict = (earlier: unknown): unknown => STATES.indexOf(earlier) > next ? state : earlier;
    for (const [method, args] of queue.splice(0)) {
      const config = args[0] as InitConfig;
      if (method === "init") keep(method, [{ ...config, consent: restrict(config.consent) }]);
      else keep(method, method === "setConsent" ? [restrict(args[0])] : args);
    }
  };
  const run = (method: Method, args: unknown[]): unknown => {
    if (method === "getConsent") return STATES[consent] || "pending";
    if (method === "flush") {
      return new Promise((resolve) => {
        setTimeout(resolve, MAX_FLUSH_MS);
        ended.then(() => vendor && vendor.flush()).then(resolve);
      });
    }
    if (method === "init") {
      // Own members alone: a page may have added some to every object.
      const { consent: state = "granted", ...config } = { __proto__: null, ...args[0] as InitConfig };
      args = [{ ...config, consent: state }];
      change(state);
    } else if (method === "setConsent") {
      if (consent > BEFORE_INIT) change(args[0]);
    } else {
      args = args.map((value) => {
        try {
          return value && JSON.parse(JSON.stringify(value));
        } catch {
          return null; // a cycle, a BigInt, a getter that throws: the SDK warns that it's left out
        }
      });
    }
    keep(method, args); // not before: a getter may have changed consent
  };
  const loader = {
    queue,
    done(sdk?: VendorGlobal) {
      vendor = sdk;
      room = queue.length = 0;
      end();
    },
  } as unknown as Loader;
  for (const method of Object.keys(NEEDS) as Method[]) {
    loader[method] = (...args: never[]) =>
      (vendor ? (vendor[method] as (...args: never[]) => unknown)(...args) : run(method, args)) as never;
  }
  scope.addEventListener("error", ({ target }) => target.id === SCRIPT_ID && loader.done(), true);
  scope.Vendor = loader;
}
