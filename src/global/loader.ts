import { MAX_PROPERTIES_BYTES } from "../limits.ts";
import type { ConsentState, InitConfig } from "../types.ts";
import type { VendorGlobal } from "./vendor_global.ts";

/**
 * A call that waits for the SDK: the method, its arguments, when it was made and where. What comes before `init()` is
 * kept as a method alone, for the warning that it deserves.
 */
export type QueuedCall = readonly [
  method: keyof VendorGlobal,
  args?: readonly unknown[],
  timeMs?: number,
  url?: string,
];

/** What stands in for `Vendor` until the SDK has loaded. Its members are a contract between versions. */
export interface Loader extends VendorGlobal {
  /** The calls so far that consent lets it keep, in order. */
  queue: QueuedCall[];
  /** The SDK, once it has loaded: whoever kept the stand-in, or a method of it, reaches the SDK through it. */
  vendor?: VendorGlobal;
  /** Tells the calls of `flush()` that the SDK has taken over. */
  done: () => void;
}

/** The part of a page's global object in use: no title, no storage. */
export interface LoaderScope {
  /** The stand-in, or the SDK. */
  Vendor?: Partial<Loader>;
  /** Where the page is. */
  readonly location: { readonly href: string; readonly origin: string; readonly pathname: string };
  /** Hears of a script that couldn't be loaded. */
  addEventListener(type: "error", listener: (event: { readonly target: unknown }) => void, isCapture: true): void;
}

/**
 * Most calls that wait beside those that change consent, as many as the SDK's queue holds events. The
 * oldest event goes first; where there is none, the oldest call that changes no consent, since a later one replaces it.
 */
export const MAX_QUEUED_CALLS = 1e4;

const CONSENT_STATES: readonly unknown[] = ["pending", "granted", "denied"];

/** What stays from before, where full consent goes back to `pending`. */
const USER_METHODS = /^(identify|reset)$/;

const LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

/** A `flush()` takes no longer. */
export const MAX_FLUSH_MS = 3e4;

/**
 * Stands in for `Vendor` until the SDK has loaded: keeps calls in order, with the time and URL of each, as far as the
 * consent of that moment allows, and forgets what a later consent no longer covers in the same task.
 *
 * This is the snippet of the README: it reads the clock and the location, and nothing else of the page.
 */
export function installLoader(scope: LoaderScope): void {
  if (scope.Vendor?.init) return; // an element of the page with that ID has no init()
  const { location } = scope;
  let consent: ConsentState | undefined;
  let wasDenied = false;
  let isLost = false;

  const stamp = (method: keyof VendorGlobal, args: readonly unknown[]): QueuedCall => [
    method,
    args,
    Math.floor(Date.now()), // some pages make it return a Date
    consent === "granted" ? location.href : location.origin + location.pathname,
  ];
  const change = (next: ConsentState): void => {
    if (next === consent || !CONSENT_STATES.includes(next)) return;
    const isWithdrawal = next === "denied" || (consent === "granted" && next === "pending");
    consent = next;
    if (!isWithdrawal) return;
    // What was allowed is void, and never reaches the SDK: it starts here, after a denial by erasing what is stored.
    // Each init() stays, since only the SDK knows which of them fail and leave the one before in force.
    wasDenied ||= next === "denied";
    const first = wasDenied ? "denied" : next;
    const inits = loader.queue.flatMap(([method, args]) =>
      method === "init" ? [stamp(method, [withConsent(args?.[0] as InitConfig, first)])] : []
    );
    let users: QueuedCall[] = [];
    for (const [method, args = []] of loader.queue) {
      if (method === "init" && isTaken(args[0] as InitConfig)) users = []; // as by the SDK
      if (next === "pending" && USER_METHODS.test(method)) users.push([method, args]);
    }
    loader.queue = [
      ...inits,
      ...(first === next ? [] : [stamp("setConsent", [next])]), // denied, the SDK would ignore the users
      ...users,
    ];
  };
  const toCall = (method: keyof VendorGlobal, args: readonly unknown[]): QueuedCall | undefined => {
    if (method === "init") {
      const config = { ...args[0] as InitConfig };
      // One that fails leaves the init() before in force; the SDK throws its error, once it's there.
      if (isValid(config)) change(config.consent === undefined ? "granted" : config.consent);
      return stamp(method, [config]);
    }
    if (consent && method === "setConsent") {
      change(args[0] as ConsentState);
      return stamp(method, args);
    }
    if (!consent) return loader.queue.length < MAX_QUEUED_CALLS ? [method] : undefined;
    const copied = args.map((arg, index) => index > 0 ? copy(arg) : arg); // a getter may change consent
    const isKept = consent === "granted" ? method !== "flush" : consent === "pending" && USER_METHODS.test(method);
    if (!isKept) return;
    if (loader.queue.length >= MAX_QUEUED_CALLS) {
      const index = [isEvent, isNoConsent].map((is) => loader.queue.findIndex(is)).find((found) => found >= 0);
      if (index !== undefined) loader.queue.splice(index, 1);
    }
    return stamp(method, copied);
  };
  const run = (method: keyof VendorGlobal, args: readonly unknown[]): unknown => {
    if (method === "getConsent") return consent ?? "pending";
    const call = toCall(method, args);
    if (isLost) loader.queue = [];
    else if (call) loader.queue.push(call);
    if (method === "flush") {
      return new Promise<void>((resolve) => {
        setTimeout(resolve, MAX_FLUSH_MS);
        ready.then(() => loader.vendor?.flush()).then(resolve);
      });
    }
  };
  const methods = ["init", "step", "identify", "reset", "page", "setConsent", "getConsent", "flush"] as const;
  const loader = Object.fromEntries(methods.map((method) => [
    method,
    (...args: never[]) =>
      loader.vendor ? (loader.vendor[method] as (...args: never[]) => unknown)(...args) : run(method, args),
  ])) as unknown as Loader;
  loader.queue = [];
  const ready = new Promise<void>((resolve) => loader.done = resolve);
  scope.addEventListener("error", ({ target }) => {
    if ((target as { readonly id?: string } | null)?.id !== "vendor-sdk") return;
    isLost = true;
    loader.queue = [];
    loader.done();
  }, true);
  scope.Vendor = loader;
}

/** Returns whether `init()` takes a configuration, apart from its consent (SPEC 7). */
export function isValid({ apiKey, endpoint = "https://a", trackPageviews = false }: InitConfig): boolean {
  try {
    const { protocol, hostname } = new URL(endpoint);
    return typeof endpoint === "string" && !!apiKey.trim() && [true, false, "auto"].includes(trackPageviews) &&
      (protocol === "https:" || (protocol === "http:" && LOCAL_HOSTS.includes(hostname)));
  } catch {
    return false; // no URL, or a key that is no text
  }
}

/** Returns whether `init()` takes a configuration, and forgets the user. */
function isTaken(config: InitConfig): boolean {
  return isValid(config) && hasValidConsent(config);
}

function hasValidConsent({ consent }: InitConfig): boolean {
  return consent === undefined || CONSENT_STATES.includes(consent);
}

function isEvent([method]: QueuedCall): boolean {
  return method === "step" || method === "page";
}

function isNoConsent([method]: QueuedCall): boolean {
  return method !== "init" && method !== "setConsent";
}

/** Returns a configuration with another consent; an invalid one stays, and fails. */
function withConsent(config: InitConfig, consent: ConsentState): InitConfig {
  return hasValidConsent(config) ? { ...config, consent } : config;
}

/**
 * Copies an argument as JSON, as the SDK would at the call. What has no JSON stays as it is, and so does what is too
 * large for an event or leads on and on: the SDK knows how to deal with that.
 */
function copy(value: unknown): unknown {
  let roomLeft = MAX_PROPERTIES_BYTES;
  try {
    return JSON.parse(JSON.stringify(value, (_key, inner) => {
      roomLeft -= 1 + (typeof inner === "string" ? inner.length : ArrayBuffer.isView(inner) ? inner.byteLength : 0);
      if (roomLeft < 0) throw 0;
      if (inner instanceof Error || Object.prototype.toString.call(inner) === "[object Error]") {
        return { name: inner.name, message: inner.message };
      }
      if (inner instanceof Map) return Object.fromEntries(inner);
      if (inner instanceof Set) return [...inner];
      // A DOM node is left out.
      if (typeof inner?.nodeType === "number" && typeof inner.nodeName === "string") return;
      return typeof inner === "bigint" ? `${inner}` : inner;
    }));
  } catch {
    return value; // undefined, a cycle, a getter that throws, no room left
  }
}
