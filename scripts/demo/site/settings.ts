/**
 * What the application remembers for itself: the visitor's choice and the mode under test. The SDK
 * stores neither (SPEC 2.1), so the application passes both on every load.
 *
 * @module
 */
import type { ConsentState, InitConfig } from "@vendor/sdk";

/** A value of `trackPageviews`. */
export type Mode = NonNullable<InitConfig["trackPageviews"]>;

/** The application's settings. */
export interface Settings {
  /** The saved choice, or null when the visitor has made none. */
  choice(): Exclude<ConsentState, "pending"> | null;
  /** Saves a choice; `pending` forgets it. */
  saveChoice(consent: ConsentState): void;
  /** Calls back when another tab has saved another choice, or cleared the storage. */
  onChoice(listener: () => void): void;
  /** The saved mode. */
  mode(): Mode;
  /** Saves the mode. */
  saveMode(mode: Mode): void;
}

const CHOICE_KEY = "tidewater.consent";
const MODE_KEY = "tidewater.mode";

/** Creates settings over the application's own keys in localStorage. */
export function createSettings(): Settings {
  return {
    choice: () => {
      const saved = read(CHOICE_KEY);
      return saved === "granted" || saved === "denied" ? saved : null;
    },
    saveChoice: (consent) => write(CHOICE_KEY, consent === "pending" ? null : consent),
    onChoice: (listener) =>
      addEventListener("storage", ({ key }) => {
        if (key === CHOICE_KEY || key === null) listener();
      }),
    mode: () => parseMode(read(MODE_KEY) ?? "auto"),
    saveMode: (mode) => write(MODE_KEY, String(mode)),
  };
}

/** Returns the mode of a radio button's value; anything unknown is `"auto"`. */
export function parseMode(value: string): Mode {
  if (value === "true") return true;
  if (value === "false") return false;
  return "auto";
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    // Browsers that block storage throw: then the choice holds for this page alone.
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
