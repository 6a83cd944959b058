import type { DatabaseSync } from "node:sqlite";
import { forgetTexts } from "./facts/forget_texts.ts";
import { prepareRecount } from "./facts/recount.ts";
import { prepareTake } from "./facts/take.ts";
import { inTransaction } from "../../platform/sqlite_lock.ts";

/** Makes the facts of a database, and keeps them as its events are. */
export interface Facts {
  /** Takes some of the events that came since it was last called, in a transaction of its own. Returns whether there are more. */
  follow(): boolean;
  /**
   * Counts visits anew that have lost events; before that, what is counted of them is too much. Returns whether all are
   * right: a long one that loses or gets events meanwhile isn't.
   */
  recount(): boolean;
  /** Returns how many events have facts, and how many are there. */
  progress(): FactsProgress;
  /** Deletes texts that no event has by now. Call it once events are deleted, before the deletion is reported. */
  forgetTexts(): void;
}

/** How far the facts are. */
export interface FactsProgress {
  /** Number of the last event that has facts. */
  readonly taken: number;
  /** Number of the last event. */
  readonly last: number;
}

const PROGRESS = "SELECT (SELECT seq FROM facts_mark) AS taken, (SELECT coalesce(max(seq), 0) FROM events) AS last";

/** Opens the facts of a database that has their tables. */
export function openFacts(database: DatabaseSync): Facts {
  const [take, recount] = [prepareTake(database), prepareRecount(database)];
  const selectProgress = database.prepare(PROGRESS);

  function readProgress(): FactsProgress {
    const row = selectProgress.get();
    return { taken: Number(row?.taken), last: Number(row?.last) };
  }

  return {
    follow: () => {
      const { taken, last } = readProgress();
      if (taken >= last) return false;
      inTransaction(database, take);
      const next = readProgress();
      return next.taken < next.last;
    },
    recount,
    progress: readProgress,
    forgetTexts: () => {
      // A visit that isn't right may have the number of a text that is to be given to another.
      while (!recount());
      forgetTexts(database);
    },
  };
}
