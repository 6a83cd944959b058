/**
 * The port between the loader and the store that it fills.
 *
 * @module
 */
import type { StoredEvent } from "../events/stored_event.ts";

/** An event, and whose it is. */
export interface KeyedEvent {
  /** First 32 hexadecimal digits of the SHA-256 of the publishable key that it was sent with. */
  readonly keyHash: string;
  /** The event. */
  readonly event: StoredEvent;
}

/** Stores blocks of events, each event once per key and id, however often it comes. */
export interface LoadTarget {
  /**
   * Resolves once the events are durable, but for those that an erasure names and those that the store will never take;
   * rejects when they couldn't be stored, after which the same block comes again.
   */
  store(block: readonly KeyedEvent[]): Promise<{
    /** Events that the store will never take. */
    readonly unfit: readonly {
      /** Its place in the block. */
      readonly index: number;
      /** Why, in a line. */
      readonly reason: string;
    }[];
    /** Number of events left out, since an erasure names them. */
    readonly erased: number;
  }>;
  /** Releases what the target holds. */
  close(): Promise<void>;
}

/** The outcome of a block. */
export type BlockResult = Awaited<ReturnType<LoadTarget["store"]>>;
