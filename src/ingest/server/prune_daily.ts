import type { DataStore } from "../data/data_store.ts";
import { createSqliteData } from "../data/sqlite_data.ts";
import { describeError } from "../describe_error.ts";
import { isFile } from "../sinks/sqlite/sqlite_path.ts";
import type { Log } from "./log.ts";
import type { Settings } from "./settings.ts";

/** Deletes by age, every now and then. */
export interface Pruning {
  /** Ends it, whatever it does. */
  stop(): Promise<void>;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Deletes what is too old of a SQLite file: now, and once a day. Other sinks have nothing to delete. */
export function pruneDaily(
  { sink, keepDays, keepErasuresDays }: Pick<Settings, "sink" | "keepDays" | "keepErasuresDays">,
  log: Log,
): Pruning {
  if (sink.kind !== "sqlite" || !isFile(sink.path)) return { stop: () => Promise.resolve() };
  const { path } = sink;
  let running: DataStore | undefined;
  let isStopped = false;

  async function prune(): Promise<void> {
    const data = createSqliteData({ path });
    running = data;
    try {
      const pruned = await data.prune({ keepErasuresDays, ...(keepDays !== undefined && { keepDays }) });
      const { events, corrected, erasures } = pruned;
      log(events + corrected + erasures > 0 ? "info" : "debug", "pruned", { ...pruned });
    } catch (error) {
      // Tomorrow it is tried again.
      if (!isStopped) log("error", "nothing could be pruned", { reason: describeError(error) });
    } finally {
      await data.close();
    }
  }

  const timer = setInterval(prune, DAY_MS);
  prune();
  return {
    stop: async () => {
      isStopped = true;
      clearInterval(timer);
      await running?.close();
    },
  };
}
