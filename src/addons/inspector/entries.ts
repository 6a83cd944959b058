/** State of a call or an event. */
export type EntryState =
  /** Captured; an event is made of it a task later, a pageview once it has its title. */
  | "recorded"
  /** In the queue. */
  | "waiting"
  /** In a request that isn't answered yet. */
  | "sent"
  /** The ingest has it. */
  | "delivered"
  /** The ingest refused it. */
  | "refused"
  /** Lost for another reason. */
  | "dropped"
  /** On the device, where a later page with consent finds it. */
  | "stored"
  /** Taken back by the SDK before it left. */
  | "taken back"
  /** Dropped by a rule of the application. */
  | "redacted"
  /** Not recorded, since consent doesn't allow it. */
  | "held back"
  /** Not carried out, since the call is wrong. */
  | "ignored"
  /** Carried out: a call that is no event. */
  | "done"
  /** A warning of the SDK. */
  | "warning"
  /** A message of the SDK. */
  | "note";

/** A line of the inspector: a call, an event or a message. */
export interface Entry {
  /** Number of the line, from 1. */
  readonly key: number;
  /** Time in milliseconds since the Unix epoch. */
  readonly timeMs: number;
  /** Name of the event, the call, or nothing. */
  readonly name: string;
  /** Its state. */
  readonly state: EntryState;
  /** Why, in words. */
  readonly note: string;
  /** The event as JSON text, as it leaves. */
  readonly json?: string;
}

/** A change of a line. */
export type EntryChange = Partial<Pick<Entry, "state" | "note" | "json">>;

/** The lines of the inspector, a bounded number of them. */
export interface Entries {
  /** Adds a line. */
  add(entry: Omit<Entry, "key">): number;
  /** Changes a line, if it's still there. */
  change(key: number, change: EntryChange): void;
  /** Returns a line, if it's still there. */
  get(key: number): Entry | undefined;
  /** Returns the lines, oldest first. */
  list(): readonly Entry[];
  /** Removes the lines, but for those of these states. */
  clear(kept: readonly EntryState[]): void;
}

/** Most lines; the oldest go first. */
export const MAX_ENTRIES = 500;

/** Creates an empty list, which tells of each change. */
export function createEntries(onChange: () => void): Entries {
  const entries = new Map<number, Entry>();
  let lastKey = 0;
  return {
    add(entry) {
      const key = ++lastKey;
      entries.set(key, { ...entry, key });
      for (const oldest of entries.keys()) {
        if (entries.size <= MAX_ENTRIES) break;
        entries.delete(oldest);
      }
      onChange();
      return key;
    },
    change(key, change) {
      const entry = entries.get(key);
      if (!entry) return;
      entries.set(key, { ...entry, ...change });
      onChange();
    },
    get: (key) => entries.get(key),
    list: () => [...entries.values()],
    clear(kept) {
      for (const { key, state } of entries.values()) if (!kept.includes(state)) entries.delete(key);
      onChange();
    },
  };
}
