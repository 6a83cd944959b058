/** A tab. */
export interface Tab {
  /** Goes to an address, and waits for the page. */
  goto(url: string): Promise<void>;
  /** Runs a script in the page and returns its value, or what that resolves to. */
  evaluate<T = unknown>(script: string): Promise<T>;
  /** Reloads the page. */
  reload(): Promise<void>;
  /** Goes back to the page at a path. */
  back(path: string): Promise<void>;
  /** Closes the tab, as a visitor does. */
  close(): Promise<void>;
  /** Kills the process of the page, so that none of its handlers runs. */
  crash(): Promise<void>;
  /** Turns the page hidden while it lives. */
  hide(): Promise<void>;
  /** Turns it visible again. */
  show(): Promise<void>;
}

/** A visitor with storage and caches of their own. */
export interface Visitor {
  /** Opens a tab at an address; a tab after the last one was closed is a new visit. */
  open(url: string): Promise<Tab>;
  /** Takes the network away, or brings it back. */
  setOffline(isOffline: boolean): Promise<void>;
  /** Forgets the visitor. */
  close(): Promise<void>;
}

/** A real browser. */
export interface Engine {
  /** Name in the table. */
  readonly name: EngineName;
  /** Starts a visitor. */
  newVisitor(): Promise<Visitor>;
  /** Ends the browser. */
  close(): Promise<void>;
}

/** The engines of the suite. */
export const ENGINE_NAMES = ["chromium", "firefox", "webkit"] as const;

/** One of them. */
export type EngineName = typeof ENGINE_NAMES[number];

/** Says that a driver can't do a step; the row then says so and why. */
export class NotApplicable extends Error {
  /** Its name in a stack. */
  override readonly name = "NotApplicable";
}

/** Refuses a step for a reason. */
export function refuse(reason: string): () => Promise<never> {
  return () => Promise.reject(new NotApplicable(reason));
}
