import { attempt, later } from "./attempt.ts";
import type { Environment, LogLevel } from "./environment/environment.ts";

/**
 * Why events were dropped: `queue_full` past the bounds of memory, `too_large` for one event or refused with 413,
 * `rejected` by the ingest, `stopped` since nothing can be sent any more, `consent` withdrawn before they were delivered,
 * or the client closed or moved to another key before, where the device refused them; `redacted` by a rule of the
 * application, or since one failed.
 */
export type DropReason = "queue_full" | "too_large" | "rejected" | "stopped" | "consent" | "redacted";

/** Numbers of dropped events by reason; a reason that never came up is absent. */
export type DropCounts = Readonly<Partial<Record<DropReason, number>>>;

/** What the SDK tells the developer: messages prefixed `[Vendor]` (SPEC 2.1), and what was lost. */
export interface Report {
  /** Warns, once per message, whatever `debug` is; later ones are lifecycle messages. */
  warn(message: string): void;
  /** Writes a lifecycle message while `debug` is on. */
  debug(message: string): void;
  /** Switches lifecycle messages on or off. */
  setDebug(isOn: boolean): void;
  /** Counts dropped events; the first of each reason gives a warning. */
  drop(reason: DropReason, amount: number): void;
  /** Returns the numbers of dropped events. */
  drops(): DropCounts;
}

/** Creates a report that remembers what it warned of and counted. */
export function createReport(environment: Environment): Report {
  const warned: string[] = [];
  const counts: Partial<Record<DropReason, number>> = {};
  let isDebug = false;
  let isLogging = false;
  const log = (level: LogLevel, message: string): void => {
    if (isLogging) return; // a page that tracks what is written to its console
    // In a turn of its own: a console that calls the SDK must not get in between two of its statements.
    later(() => {
      isLogging = true;
      attempt(() => environment.log(level, `[Vendor] ${message}`));
      isLogging = false;
    });
  };
  const report: Report = {
    warn(message) {
      if (warned.includes(message)) return report.debug(message);
      warned.push(message);
      log("warn", message);
    },
    debug(message) {
      if (isDebug) log("log", message);
    },
    setDebug(isOn) {
      isDebug = isOn;
    },
    drop(reason, amount) {
      if (!amount) return;
      counts[reason] = (counts[reason] ?? 0) + amount;
      // The visitor wanted the one; the other has a warning of its own.
      if (reason !== "consent" && reason !== "stopped") report.warn(`events dropped: ${reason}`);
    },
    drops: () => ({ ...counts }),
  };
  return report;
}
