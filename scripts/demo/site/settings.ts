/**
 * What the shop remembers for itself: the visitor's choice, and who is signed in. The SDK stores neither (SPEC 2.1), so
 * the shop passes them on every load.
 *
 * @module
 */
import type { ConsentState } from "@vendor/sdk";

const CHOICE_KEY = "tidewater.consent";
const USER_KEY = "tidewater.user";

/** Returns the saved choice, or `pending` when the visitor has made none. */
export function readChoice(): ConsentState {
  const saved = read(CHOICE_KEY);
  return saved === "granted" || saved === "denied" ? saved : "pending";
}

/** Saves a choice; `pending` forgets it. */
export function saveChoice(consent: ConsentState): void {
  write(CHOICE_KEY, consent === "pending" ? null : consent);
}

/** Calls back when another tab has saved another choice, or cleared the storage. */
export function onChoice(listener: () => void): void {
  addEventListener("storage", ({ key }) => {
    if (key === CHOICE_KEY || key === null) listener();
  });
}

/** Returns who is signed in, or null. */
export function readUser(): string | null {
  return read(USER_KEY);
}

/** Saves who is signed in; null for nobody. */
export function saveUser(userId: string | null): void {
  write(USER_KEY, userId);
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    // Browsers that block storage throw: then all this holds for this page alone.
    return null;
  }
}

function write(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // As in read(): blocked storage throws, a full one too.
  }
}
