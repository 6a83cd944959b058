import type { Log } from "./log.ts";
import { isPageview, type StoredEvent } from "../../events/stored_event.ts";

/** Says what arrives without a line for each event. */
export interface StoredLog {
  /** Counts events that were stored now. */
  add(events: readonly StoredEvent[]): void;
  /** Says nothing more. */
  stop(): void;
}

const INTERVAL_MS = 60_000;

/** Creates the log of what arrives: once a minute how many steps, full pageviews and aggregates; nothing of none. */
export function createStoredLog(log: Log): StoredLog {
  const none = { steps: 0, pageviews: 0, aggregates: 0 } as const;
  let counts: { steps: number; pageviews: number; aggregates: number } = { ...none };

  const timer = setInterval(() => {
    const { steps, pageviews, aggregates } = counts;
    if (steps + pageviews + aggregates > 0) log("info", "stored", counts);
    counts = { ...none };
  }, INTERVAL_MS);

  return {
    add: (events) => {
      for (const event of events) {
        if (event.collection === "aggregate") counts.aggregates += 1;
        else if (isPageview(event)) counts.pageviews += 1;
        else counts.steps += 1;
      }
    },
    stop: () => clearInterval(timer),
  };
}
