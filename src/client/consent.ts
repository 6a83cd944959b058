import type { ConsentState } from "./base/types.ts";

/** What a change of consent does. Each is carried out by whoever owns what changes. */
export interface ConsentEffects {
  /** Tells of the state that is in force now. */
  tell(state: ConsentState): void;
  /** Throws away what waits for the page to be shown, unread, on the way to a state. */
  discard(next: ConsentState): void;
  /** Throws away whatever was collected, unread; aborts what is under way; erases every key on the device. */
  erase(): void;
  /** Ends full collection, before its withdrawal is in force: one drain as at page hide, then memory keeps nothing of it. */
  suspend(): void;
  /** Takes the aggregate of this page back, if its batch is still open. */
  upgrade(): void;
  /** Reads or makes the identifiers, one task later, and looks for what earlier visits left. */
  resume(): void;
  /** Records the current page, if it wasn't yet and consent allows a form of it. */
  record(): void;
}

/** The gate: what the application wants, what is in force, and the way from one to the other. */
export interface Consent {
  /** Returns what the application wants; `"pending"` before `init()`. */
  state(): ConsentState;
  /** Returns whether a state is in force. None is before `init()`, nor while the page is prerendered. */
  is(state: ConsentState): boolean;
  /** Returns whether the application wants a state, or one that allows more. */
  allows(least: ConsentState): boolean;
  /** Sets what the application wants. It isn't in force yet. */
  want(state: ConsentState): void;
  /** Changes consent: in force at once, unless the page is prerendered. */
  change(state: ConsentState): void;
  /** Puts the wanted state in force. Another account (not `isSame`) starts from `none`. */
  start(isSame: boolean): void;
}

/** Creates a gate that is shut. */
export const createConsent: (effects: ConsentEffects) => Consent = ((effects) => {
  let wanted: ConsentState = "pending";
  /** None before the first `init()`, and after one for another key or endpoint. */
  let inForce: ConsentState | undefined;
  const apply = (): void => {
    const isSuspended = inForce === "granted" && wanted === "pending"; // what happens then has happened before
    inForce = wanted; // before the effects, which ask for it
    if (wanted === "denied") effects.erase(); // first: who hears of it may grant again
    effects.tell(wanted);
    if (wanted === "denied") return;
    if (wanted === "granted") {
      effects.upgrade();
      effects.resume();
    }
    if (!isSuspended) effects.record();
  };
  const consent: Consent = {
    state: () => wanted,
    is: (state) => state === inForce,
    allows: (least) => least === "denied" || wanted === least || wanted === "granted",
    want(state) {
      if (inForce === "granted" && state === "pending") {
        effects.suspend();
        if (inForce !== "granted") return; // a rule of the application denied meanwhile
      }
      // What a page that is prerendered was allowed to keep is void with any withdrawal.
      if (!inForce && wanted !== state && state !== "granted") effects.discard(state);
      wanted = state;
    },
    change(state) {
      consent.want(state);
      if (inForce) apply();
      else if (state === "granted") effects.resume(); // from now on a denial elsewhere is heard
    },
    start(isSame) {
      if (!isSame) inForce = undefined;
      apply();
    },
  };
  return consent;
}) satisfies typeof createConsent;
