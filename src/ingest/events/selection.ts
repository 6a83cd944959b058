import type { Erasure, EventOwner } from "./erasures.ts";

/** An event of the store, without what it says. */
export interface StoredOwner extends EventOwner {
  /** Its place in the order of arrival. */
  readonly seq: number;
  /** Session; null for aggregates. */
  readonly sessionId: string | null;
}

/** Which events are meant: those that one of the records names. */
export interface Selection {
  /** The records. */
  readonly erasures: readonly Erasure[];
}

/** An event as it is stored, and whose it is. */
export interface KeyedText {
  /** First 32 hexadecimal digits of the SHA-256 of the publishable key. */
  readonly keyHash: string;
  /** The event, as JSON. */
  readonly text: string;
}

/** The finds of a block. */
export interface Block<T> {
  /** The selected ones, in the order of arrival. */
  readonly selected: readonly T[];
  /** Place of the last event of the block. */
  readonly last: number;
  /** Whether it is the last block. */
  readonly isLast: boolean;
}
