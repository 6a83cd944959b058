import type { Environment } from "./environment/environment.ts";

/**
 * Why events were dropped: `queue_full` past the bounds of memory, `too_large` for one event or refused with
 * 413, `too_old` after 7 days, `rejected` by the ingest, `stopped` since nothing can be sent any more,
 * `server_error` after ten 5xx answers, each right after another batch got through, `consent` withdrawn before they were
 * delivered.
 */
export type DropReason = "queue_full" | "too_large" | "too_old" | "rejected" | "stopped" | "server_error" | "consent";

/** Numbers of dropped events by reason; a reason that never came up is absent. */
export type DropCounts = Readonly<Partial<Record<DropReason, number>>>;

/** What the SDK tells the developer: messages prefixed `[Vendor]` (SPEC 2.1), and what was lost. */
export interface Report {
  /** Warns, once per message, whatever `debug` is. */
  warn(message: string): void;
  /** Writes a lifecycle message while `debug` is on. */
  debug(message: string): void;
  /** Switches lifecycle messages on or off. */
  setDebug(isOn: boolean | undefined): void;
  /** Counts dropped events; the first of each reason gives a warning. */
  drop(reason: DropReason, amount: number): void;
  /** Returns the numbers of dropped events. */
  drops(): DropCounts;
}

/** Creates a report that remembers what it warned of and counted. */
export function createReport(environment: Environment): Report {
  const warned = new Set<string>();
  const counts: Partial<Record<DropReason, number>> = {};
  let isDebug: boolean | undefined;
  let isLogging = false;
  const log = (level: "debug" | "warn", message: string): void => {
    if (isLogging) return; // a page that tracks what is written to its console
    isLogging = true;
    try {
      environment.log(level, `[Vendor] ${message}`);
    } catch {
      // A console that throws, as some test setups make it.
    }
    isLogging = false;
  };
  const report: Report = {
    warn(message) {
      if (isLogging || warned.has(message)) return;
      warned.add(message);
      log("warn", message);
    },
    debug(message) {
      if (isDebug) log("debug", message);
    },
    setDebug(isOn) {
      isDebug = isOn;
    },
    drop(reason, amount) {
      if (!amount) return;
      counts[reason] = (counts[reason] ?? 0) + amount;
      // The visitor wanted the one, and the other has a warning of its own.
      if (reason !== "consent" && reason !== "stopped") report.warn(`events dropped: ${reason}`);
    },
    drops: () => ({ ...counts }),
  };
  return report;
}
