import type { Log } from "./log.ts";

/** Says what was refused without a line for each request. */
export interface RefusalLog {
  /** Counts a refusal, of a key's sender where one is known. */
  add(code: string, keyName?: string): void;
  /** Says what wasn't said yet, and ends. */
  stop(): void;
}

/** Refusals of one kind. */
interface Kind {
  readonly code: string;
  readonly key: string | undefined;
  /** How many weren't said yet. */
  count: number;
}

const INTERVAL_MS = 60_000;

/** Creates the log of refusals: each kind is said when it begins, and then once a minute with how many there were. */
export function createRefusalLog(log: Log, intervalMs: number = INTERVAL_MS): RefusalLog {
  const kinds = new Map<string, Kind>();

  function say({ code, key, count }: Kind): void {
    log("info", "refused", { code, ...(key !== undefined && { key }), count });
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
    add: (code, key) => {
      const place = `${code} ${key ?? ""}`;
      const kind = kinds.get(place);
      if (kind !== undefined) {
        kind.count += 1;
        return;
      }
      kinds.set(place, { code, key, count: 0 });
      say({ code, key, count: 1 });
    },
    stop: () => {
      clearInterval(timer);
      sayAll();
    },
  };
}
