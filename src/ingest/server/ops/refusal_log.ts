import type { Log } from "./log.ts";

/** Refusals for one reason. */
export interface Refused {
  readonly code: string;
  /** Name of the sender's key, where one is known. */
  readonly keyName?: string;
  /** The sentence that the sender got. */
  readonly reason?: string;
  /**
   * Number of requests, or of events of one.
   *
   * @default {1}
   */
  readonly count?: number;
}

/** Says what was refused without a line for each request. */
export interface RefusalLog {
  /** Counts what was refused. */
  add(refused: Refused): void;
  /** Says what wasn't said yet, and ends. */
  stop(): void;
}

/** Refusals of one kind. */
interface Kind {
  readonly code: string;
  readonly key: string | undefined;
  /** Number of those that aren't logged yet. */
  count: number;
  /** Why the newest of them was refused. */
  reason: string | undefined;
}

const INTERVAL_MS = 60_000;

/**
 * Creates the log of refusals: each kind is said when it begins, and then once a minute with how many there were, and why the
 * newest was.
 */
export function createRefusalLog(log: Log, intervalMs: number = INTERVAL_MS): RefusalLog {
  const kinds = new Map<string, Kind>();

  function say({ code, key, count, reason }: Kind): void {
    log("info", "refused", { code, ...(key !== undefined && { key }), count, ...(reason && { reason }) });
  }

  function sayAll(): void {
    for (const [place, kind] of kinds) {
      if (kind.count > 0) say(kind);
      // It has ended: the next one begins it again.
      else kinds.delete(place);
      kind.count = 0;
    }
  }

  const timer = setInterval(sayAll, intervalMs);
  return {
    add: ({ code, keyName: key, reason, count = 1 }) => {
      const place = `${code} ${key ?? ""}`;
      const kind = kinds.get(place);
      if (kind !== undefined) {
        kind.count += count;
        kind.reason = reason;
        return;
      }
      kinds.set(place, { code, key, count: 0, reason: undefined });
      say({ code, key, count, reason });
    },
    stop: () => {
      clearInterval(timer);
      sayAll();
    },
  };
}
