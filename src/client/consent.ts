import { STORAGE_PREFIX } from "./base/keys.ts";
import type { ConsentState } from "./base/types.ts";
import type { PageEnvironment } from "./platform/environment.ts";

/** The gate: what the application wants, what is in force, and the way from one to the other. */
export interface Consent {
  /** Returns what the application wants; `"pending"` before `init()`. */
  state(): ConsentState;
  /** Returns whether a state is in force, or what is wanted is. None is before `init()`, nor while the page is prerendered. */
  is(state?: ConsentState): boolean;
  /** Returns whether the application wants a state, or one that allows more. */
  wants(least: ConsentState): boolean;
  /** Sets what the application wants. It isn't in force yet; from granted to pending full collection ends here. */
  want(state: ConsentState): void;
  /** Changes consent: in force at once, unless the page is prerendered. */
  change(state: ConsentState): void;
  /** Puts the wanted state in force. Another account (not `isSame`) starts from `none`. */
  start(isSame: boolean): void;
}

/** Parts that a change of consent acts on. Each call is described where it's defined. */
export interface ConsentParts {
  readonly visitor: { identify(userId: null): void; forget(): void };
  readonly finisher: { finish(): void; forget(): void };
  readonly pageviews: { forget(): void; restrict(): void; upgrade(): void; record(): void };
  readonly delivery: { forget(): void; drain(): void; release(): void; look(): void };
  readonly tell: (change: { readonly type: "consent"; readonly state: ConsentState }) => void;
  /** Asks for a task in which the SDK goes on. */
  readonly wake: () => void;
  readonly stopTimers: () => void;
}

/** Creates a gate that is shut. */
export const createConsent: (parts: ConsentParts, page: PageEnvironment) => Consent = ((parts, { storage }) => {
  let wanted: ConsentState = "pending";
  /** None before the first `init()`, and after one for another key or endpoint. */
  let inForce: ConsentState | undefined;

  /** Throws away whatever was collected, unread; aborts what is under way; erases every key on the device. */
  const erase = (): void => {
    // First: what fails below, since a page has replaced it, must not keep anything on the device.
    for (const key of storage.keys(STORAGE_PREFIX)) storage.remove(key);
    parts.finisher.forget();
    parts.delivery.forget();
    parts.visitor.identify(null);
    parts.visitor.forget();
    parts.stopTimers();
    parts.pageviews.restrict();
  };
  /** Ends full collection before its withdrawal is in force: one drain as at page hide. Then neither drafts nor batches stay. */
  const suspend = (): void => {
    parts.finisher.finish();
    parts.delivery.drain();
    parts.delivery.release();
    parts.finisher.forget(); // what a rule of the application recorded meanwhile
    parts.visitor.forget();
    parts.pageviews.restrict();
  };
  const apply: () => void = (() => {
    const isSuspended = inForce === "granted" && wanted === "pending"; // "auto" counts from the next navigation
    inForce = wanted; // before the effects, which ask for it
    if (wanted === "denied") erase(); // first: who hears of it may grant again
    parts.tell({ type: "consent", state: wanted });
    if (wanted === "granted") {
      parts.pageviews.upgrade();
      parts.wake(); // the identifiers are read or made one task later
      parts.delivery.look();
    }
    if (!isSuspended) parts.pageviews.record();
  }) satisfies typeof apply;
  const consent: Consent = {
    state: () => wanted,
    is: (state = wanted) => state === inForce,
    wants: (least) => least === "denied" || wanted === least || wanted === "granted",
    want: ((state) => {
      if (inForce === "granted" && state === "pending") {
        suspend();
        if (inForce !== "granted") return; // a rule of the application denied meanwhile
      }
      // What a page that is prerendered was allowed to keep is void with any withdrawal.
      if (!inForce && state !== "granted") {
        parts.finisher.forget();
        parts.pageviews.forget();
        if (state === "denied") parts.visitor.identify(null);
      }
      wanted = state;
    }) satisfies Consent["want"],
    change(state) {
      consent.want(state);
      if (inForce) apply();
      else parts.wake(); // from a grant on a denial elsewhere is heard
    },
    start(isSame) {
      if (!isSame) inForce = undefined;
      apply();
    },
  };
  return consent;
}) satisfies typeof createConsent;
