import type { DataStore } from "../../ports/data_store.ts";
import { describeError } from "../../platform/describe_error.ts";
import type { Log } from "./log.ts";

/** Ages to which data is kept. */
export interface Ages {
  /** Age in days at which events are deleted; never without. */
  readonly keepDays?: number;
  /** Age in days at which records of erasures are deleted. */
  readonly keepErasuresDays: number;
}

/** Deletes by age, and what erasures name, every now and then. */
export interface Pruning {
  /** Does it once more when nothing is on its way that was when this was called. */
  soon(): void;
  /** Ends it, whatever it does. */
  stop(): Promise<void>;
}

/** Options of the daily deletion. */
export interface PruningOptions extends Ages {
  /** Opens the store. */
  readonly open: () => DataStore | Promise<DataStore>;
  readonly log: Log;
  /**
   * Milliseconds that something may be on its way: longer than ClickHouse may take for an answer.
   *
   * @default {120000}
   */
  readonly soonMs?: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

const SOON_MS = 2 * 60 * 1000;

/** Deletes what is too old of a store, and what erasures name: now, and once a day. */
export function pruneDaily(
  { open, keepDays, keepErasuresDays, log, soonMs = SOON_MS }: PruningOptions,
): Pruning {
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();
  let opened: DataStore | undefined;
  let soonTimer: ReturnType<typeof setTimeout> | undefined;
  let isAskedAgain = false;

  async function prune(): Promise<void> {
    if (isStopped) return;
    try {
      const data = await open();
      opened = data;
      if (isStopped) return;
      const pruned = await data.prune({ keepErasuresDays, ...(keepDays !== undefined && { keepDays }) });
      const { events, corrected, erasures } = pruned;
      log(events + corrected + erasures > 0 ? "info" : "debug", "pruned", { ...pruned });
    } catch (error) {
      if (isStopped) return;
      log("error", "nothing could be pruned", { reason: describeError(error) });
      soon();
    } finally {
      await opened?.close();
      opened = undefined;
    }
  }

  function start(): void {
    running = running.then(prune);
  }

  function soon(): void {
    if (isStopped) return;
    // Whoever asks meanwhile gets a turn of their own: it would never come if each put it off.
    if (soonTimer !== undefined) {
      isAskedAgain = true;
      return;
    }
    soonTimer = setTimeout(() => {
      soonTimer = undefined;
      start();
      if (isAskedAgain) soon();
      isAskedAgain = false;
    }, soonMs);
  }

  const timer = setInterval(start, DAY_MS);
  start();
  return {
    soon,
    stop: async () => {
      isStopped = true;
      clearInterval(timer);
      clearTimeout(soonTimer);
      await opened?.close();
    },
  };
}
