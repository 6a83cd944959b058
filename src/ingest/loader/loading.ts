import type { LoadTarget } from "../ports/load_target.ts";

/** How messages are loaded. */
export interface LoadingOptions {
  /** Where events are stored. The loader doesn't close it. */
  readonly target: LoadTarget;
  /**
   * Most events of a block. One that isn't full is stored after a second.
   *
   * @default {20000}
   */
  readonly maxBlockEvents?: number;
  /**
   * How long messages stay in the stream after every consumer has acknowledged them, in milliseconds. It begins anew with
   * the loader. `Infinity` keeps them for ever.
   *
   * @default {3600000, an hour}
   */
  readonly purgeAfterMs?: number;
  /** Hears of each attempt that failed; the loader tries again. What it throws is ignored. */
  readonly onError?: (error: unknown) => void;
}

/** What a loader did since its start. */
export interface LoaderCounts {
  /** Events that were stored, repeats among them. */
  readonly loaded: number;
  /** Blocks that were stored. */
  readonly blocks: number;
  /** Events that were left out, since an erasure names them. */
  readonly erased: number;
  /** Messages that went to the dead letters. */
  readonly deadLetters: number;
  /** Messages that were removed from the stream. */
  readonly purged: number;
  /** Attempts that failed. */
  readonly failures: number;
}

/** Moves events from a stream into a store. */
export interface Loader {
  /** Returns what was done so far. */
  counts(): LoaderCounts;
  /** Asks the stream how many of its events aren't in the store yet; rejects where it doesn't answer. */
  countWaiting(): Promise<number>;
  /** Ends after the block that is being stored. What isn't acknowledged is left for another loader. */
  close(): Promise<void>;
}
