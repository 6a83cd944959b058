/**
 * The port between the watcher of stored events and the store.
 *
 * @module
 */
import type { StoredEvent } from "../events/stored_event.ts";

/** Which events are watched. */
export interface TailOptions {
  /** Publishable key that the events were sent with; every key's where it is absent. */
  readonly apiKey?: string;
  /** Number of those that are stored already and come first. */
  readonly lines: number;
}

/** Events that were stored. */
export interface TailBlock {
  /** In the order in which they were stored, or arrived. */
  readonly events: readonly StoredEvent[];
  /** Whether there are more at once. */
  readonly isMore: boolean;
  /** Whether some before these were left out: more were stored than are read. */
  readonly isCut: boolean;
}

/** Reads what is stored, as it is stored. */
export interface EventTail {
  /** Milliseconds between two calls. */
  readonly intervalMs: number;
  /** Returns what was stored since the last call; at first the last of what is stored already. */
  next(): Promise<TailBlock>;
  /** Releases what it holds. */
  close(): Promise<void>;
}
