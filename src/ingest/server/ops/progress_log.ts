import type { ReportReader } from "../../ports/reader.ts";
import type { Log } from "./log.ts";

const INTERVAL_MS = 60_000;

/**
 * Says at the start how much of what is stored the reports count, and then once a minute, until that is all. Where it's all
 * from the start, it says nothing. Returns what ends it.
 */
export function logProgress({ progress }: Pick<ReportReader, "progress">, log: Log): () => void {
  let isFirst = true;
  let isEnded = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function look(): Promise<void> {
    // A store that can't be read at the moment says so where a report is asked for.
    const counted = await progress().catch(() => undefined);
    if (isEnded) return;
    if (counted === 1) {
      if (!isFirst) log("info", "all is counted");
      return;
    }
    if (counted !== undefined) {
      isFirst = false;
      log("info", "counting for the reports", { counted: Math.floor(counted * 1000) / 1000 });
    }
    timer = setTimeout(look, INTERVAL_MS);
  }

  void look();
  return () => {
    isEnded = true;
    clearTimeout(timer);
  };
}
