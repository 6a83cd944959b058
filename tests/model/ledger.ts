/** An event that a page took under consent, and what may become of it. */
export interface Captured {
  /** What tells it from the others: the name of a step, the path of a pageview. */
  readonly key: string;
  /** Number of its tab. */
  readonly tab: number;
  /** Epoch of its tab. */
  readonly epoch: number;
  /** Counts up with the calls. */
  readonly order: number;
  /** Account it's meant for. */
  readonly account: 0 | 1;
  /** When, by the device's clock. */
  readonly timeMs: number;
  /** When, by the time that passed. */
  readonly elapsedMs: number;
  /** Its id, once it was sent. */
  id?: string;
  /** Titles that its page may have had when it was taken; of a pageview, up to when it's settled. */
  titles: readonly string[];
  /** Users whom it may name. */
  users: readonly (string | null)[];
  /** Batch that it was last sent in. */
  batchId?: string;
  /** Whether it may be sent in another one: after 413. */
  mayMove: boolean;
  /** Whether consent was denied since: it may be gone. */
  isDenied: boolean;
  /** Whether every page knows of that: it mustn't be sent any more. */
  isForbidden: boolean;
  /** Why it may be gone without a trace. */
  excuse?: string;
  /** Why it may be dropped, which is counted. */
  reason?: string;
  /** Batches that it's stored with, as a tab heard, unless another tab saved them since: their tab and `batchId`. */
  readonly acknowledged: Set<string>;
  /**
   * Whether another page had saved it too, when it was acknowledged or when this page took that over: what that page left
   * may be sent once more.
   */
  hasCopy: boolean;
  /** Numbers of the tabs that saved it. */
  readonly savedBy: Set<number>;
  /** Numbers of the tabs that took over what another page had saved of it. */
  readonly takenBy: Set<number>;
}

/** What was captured, told apart by key. */
export interface Ledger {
  /** Oldest first. */
  readonly events: readonly Captured[];
  /** Enters an event, unless it's one more pageview of a path. */
  capture(
    event: Pick<Captured, "key" | "tab" | "epoch" | "account" | "timeMs" | "elapsedMs" | "titles" | "users">,
  ): Captured | undefined;
  /** Allows one more pageview of a path. */
  allowView(path: string): void;
  /** Returns how many pageviews of a path there may be. */
  allowedViews(path: string): number;
  /** Returns an event, unless it was never captured. */
  find(key: string): Captured | undefined;
}

/** Creates an empty ledger. */
export function createLedger(): Ledger {
  const events: Captured[] = [];
  const byKey = new Map<string, Captured>();
  const views = new Map<string, number>();
  return {
    events,
    capture(event) {
      if (byKey.has(event.key)) return;
      const captured: Captured = {
        ...event,
        order: events.length,
        mayMove: false,
        isDenied: false,
        isForbidden: false,
        acknowledged: new Set(),
        hasCopy: false,
        savedBy: new Set(),
        takenBy: new Set(),
      };
      byKey.set(event.key, captured);
      events.push(captured);
      return captured;
    },
    allowView: (path) => void views.set(path, (views.get(path) ?? 0) + 1),
    allowedViews: (path) => views.get(path) ?? 0,
    find: (key) => byKey.get(key),
  };
}
