import type { LoadTarget } from "../ports/load_target.ts";
import type { JetStreamSinkOptions } from "../stores/jetstream/jetstream_options.ts";

/** Options of `createLoader()`: the cluster, as those of the sink name it, and the store behind it. */
export interface LoaderOptions extends
  Pick<
    JetStreamSinkOptions,
    "servers" | "user" | "password" | "token" | "credentials" | "stream" | "subjectPrefix"
  > {
  /** Where events are stored. The loader doesn't close it. */
  readonly target: LoadTarget;
  /**
   * Most events of a block. One that isn't full is stored after a second.
   *
   * @default {20000}
   */
  readonly maxBlockEvents?: number;
  /**
   * Milliseconds that messages stay in the stream after every consumer has acknowledged them. The time begins anew with
   * the loader. `Infinity` keeps them for ever.
   *
   * @default {3600000, an hour}
   */
  readonly purgeAfterMs?: number;
  /** Hears of each attempt that failed; the loader tries again. What it throws is ignored. */
  readonly onError?: (error: unknown) => void;
  /**
   * Name of the durable consumer, made when it is missing. Loaders with the same one share the work; each store has its
   * own.
   *
   * @default {"vendor_loader"}
   */
  readonly consumer?: string;
  /**
   * Subject that messages are copied to which can't be loaded, with the header `Vendor-Reason`. The loader makes a stream
   * for it, `<stream>_DEAD_LETTERS`, unless one keeps the subject.
   *
   * @default {"vendor.dead_letters"}
   */
  readonly deadLetterSubject?: string;
}

/** Options of the loading. */
export type LoadingOptions = Pick<LoaderOptions, "target" | "maxBlockEvents" | "purgeAfterMs" | "onError">;

/** Counters of a loader since its start. */
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
