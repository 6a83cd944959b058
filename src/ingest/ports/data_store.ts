/**
 * The port between the commands for people's data and the store that holds it.
 *
 * @module
 */
import type { StoredEvent } from "../events/stored_event.ts";
import type { KeyedEvent } from "./load_target.ts";

/** Whose data it is: a signed-in user's, or an anonymous id's, whoever was signed in. */
export type DataSubject = {
  /** Publishable key that the events were sent with. */
  readonly apiKey: string;
  /** The argument of `identify()`. */
  readonly userId: string;
  /**
   * Whether events of the user's anonymous ids are meant as well that have no user: from before the sign-in. What
   * another user did with the same anonymous id is left out.
   *
   * @default {false}
   */
  readonly withVisitors?: boolean;
} | {
  /** Publishable key that the events were sent with. */
  readonly apiKey: string;
  /** Random id of the visitor. */
  readonly anonymousId: string;
};

/** The stored events of a person. */
export interface FoundData {
  /** Number of events. */
  readonly events: number;
  /** Number of their sessions. */
  readonly sessions: number;
  /** Time of the earliest event; absent where there is none. */
  readonly first?: string;
  /** Time of the latest event; absent where there is none. */
  readonly last?: string;
  /** Anonymous ids of the events. */
  readonly anonymousIds: readonly string[];
  /** Users of the events. */
  readonly userIds: readonly string[];
}

/** The result of an erasure, or of its dry run. */
export interface ErasedData {
  /** Number of deleted events. */
  readonly events: number;
  /** Number of their sessions. */
  readonly sessions: number;
  /** Number of anonymous ids that were followed. */
  readonly visitors: number;
  /** Time of the record: what was captured before stays away. Absent of a dry run. */
  readonly erasedAt?: string;
  /**
   * Remains of them in the files of the store: `none`; `fragments` in unused parts of a folder's `tail.db`, which go
   * when it is vacuumed; copies in its `log`, since a process kept reading or writing it; old `parts` of ClickHouse,
   * which it removes by itself. Absent of a dry run.
   */
  readonly remains?: "none" | "fragments" | "log" | "parts";
  /** Time by which that is gone by itself. Present where it goes so. */
  readonly goneBy?: string;
}

/** Options of a deletion. */
export interface DeleteOptions {
  /**
   * Whether nothing is deleted: what would go is counted.
   *
   * @default {false}
   */
  readonly dryRun?: boolean;
  /**
   * Whether a folder's `tail.db` is written anew, so that nothing remains. Batches wait meanwhile, and are answered 503
   * after 10 s: the SDK comes again. ClickHouse has no such file, and refuses.
   *
   * @default {false}
   */
  readonly vacuum?: boolean;
}

/** Ages to which data is kept. */
export interface PruneOptions extends DeleteOptions {
  /**
   * Age in days from which events go, counted from their arrival. At least 8, for the SDK repeats a batch for 7.
   *
   * @default {events are kept}
   */
  readonly keepDays?: number;
  /**
   * Age in days from which records of erasures go. At least 8, and more than the oldest backup has.
   *
   * @default {records are kept}
   */
  readonly keepErasuresDays?: number;
}

/** The result of a deletion by age, or of its dry run. */
export interface PrunedData {
  /** Number of events. */
  readonly events: number;
  /** Number of events that went by an earlier erasure: a backup had brought them back. */
  readonly corrected: number;
  /** Number of records of erasures. */
  readonly erasures: number;
  /** The remains in the files, as after an erasure. Absent of a dry run. */
  readonly remains?: NonNullable<ErasedData["remains"]>;
  /** Time by which that is gone by itself. Present where it goes so. */
  readonly goneBy?: string;
}

/** Finds, hands out and deletes what is stored of people. The counts of the reports follow. */
export interface DataStore {
  /** Returns whether anything was ever stored under a key: with another one, nobody is found and nobody erased. */
  hasKey(apiKey: string): Promise<boolean>;
  /** Counts what is stored of somebody. */
  find(subject: DataSubject): Promise<FoundData>;
  /** Reads what is stored of somebody, in the order of arrival. */
  export(subject: DataSubject): AsyncIterable<StoredEvent>;
  /**
   * Reads everybody's events, but for those that an erasure names: in the order of arrival from a folder, by key and day from
   * ClickHouse. What arrives meanwhile may be missing. It holds a few thousand events at a time, however many there are.
   */
  exportAll(range?: {
    /**
     * Publishable key that they were sent with.
     *
     * @default {those of all keys}
     */
    readonly apiKey?: string;
    /**
     * ISO 8601 UTC time of the first, by the event's `timestamp`, as the days of the reports are.
     *
     * @default {none is too early}
     */
    readonly from?: string;
    /**
     * ISO 8601 UTC time of the end; an event of that time isn't meant.
     *
     * @default {none is too late}
     */
    readonly to?: string;
  }): AsyncIterable<KeyedEvent>;
  /**
   * Deletes what is stored of somebody, and keeps a record: what was captured before stays away, wherever it still waits.
   * Batches are taken meanwhile.
   */
  erase(subject: DataSubject, options?: DeleteOptions): Promise<ErasedData>;
  /**
   * Deletes by age, and what a restored backup brought back. Batches are taken meanwhile. Nothing goes by age, and it
   * rejects, where no event would be left: the clock of the machine may be wrong.
   */
  prune(options: PruneOptions): Promise<PrunedData>;
  /** Releases what it holds. */
  close(): Promise<void>;
}

/** The choice of events, of anybody. */
export type EventRange = NonNullable<Parameters<DataStore["exportAll"]>[0]>;
