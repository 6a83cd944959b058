import { statSync } from "node:fs";
import { describeError } from "../../platform/describe_error.ts";
import { doWithPauses, type Pieces } from "../../platform/pieces.ts";
import { listActiveKeys, readKeysFileInTurns, type ServerKey } from "./keys_file.ts";
import type { Log } from "../ops/log.ts";

/** Options of {@linkcode watchKeys}. */
export interface KeysWatchOptions {
  /** Path of the keys file. */
  readonly path: string;
  /** The keys that were read before. */
  readonly keys: readonly ServerKey[];
  /** Puts the keys in the place of the ones before; rejects, and changes nothing, where they can't be. */
  readonly apply: (keys: readonly ServerKey[]) => Promise<void>;
  /** Takes what happens. */
  readonly log: Log;
  /**
   * Milliseconds between two looks at the file.
   *
   * @default {500}
   */
  readonly intervalMs?: number;
}

/** A keys file that is read again whenever it changes. */
export interface KeysWatch {
  /** Reads it now. Resolves when its keys are in force. */
  readNow(): Promise<void>;
  /** Ends the watch. */
  stop(): void;
}

const INTERVAL_MS = 500;

/**
 * Watches a keys file. One that can't be used leaves the keys as they are. It is looked at rather than listened to: an
 * editor, a volume of a container or a link in the way would each need a listener of its own.
 */
export function watchKeys({ path, keys, apply, log, intervalMs = INTERVAL_MS }: KeysWatchOptions): KeysWatch {
  let current = keys;
  // Whatever changed since the keys were read is read at the first look.
  let stamp: string | undefined;
  /** One after the other: reading takes turns with everything else. */
  let last = Promise.resolve();

  function read(isAsked: boolean): Promise<void> {
    stamp = readStamp(path);
    return last = last.then(() => readInTurns(isAsked));
  }

  async function readInTurns(isAsked: boolean): Promise<void> {
    try {
      const next = listActiveKeys(await readKeysFileInTurns(path));
      if (!isAsked && await doWithPauses(areSame(next, current))) return;
      await apply(next);
      const [added, revoked] = [countOthers(next, current), countOthers(current, next)];
      current = next;
      log("info", "keys read again", { keys: next.length, added, revoked });
    } catch (error) {
      log("error", "the keys stay as they were", { reason: describeError(error) });
    }
  }

  const timer = setInterval(() => {
    if (readStamp(path) !== stamp) read(false);
  }, intervalMs);

  return { readNow: () => read(true), stop: () => clearInterval(timer) };
}

function* areSame(keys: readonly ServerKey[], others: readonly ServerKey[]): Pieces<boolean> {
  if (keys.length !== others.length) return false;
  for (const [index, key] of keys.entries()) {
    if (JSON.stringify(key) !== JSON.stringify(others[index])) return false;
    yield;
  }
  return true;
}

/** Returns how many of the keys aren't among the others. */
function countOthers(keys: readonly ServerKey[], others: readonly ServerKey[]): number {
  const known = new Set(others.map(({ apiKey }) => apiKey));
  return keys.filter(({ apiKey }) => !known.has(apiKey)).length;
}

function readStamp(path: string): string {
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = statSync(path);
    return [dev, ino, size, mtimeMs, ctimeMs].join(" ");
  } catch {
    return "gone"; // which reading it says in so many words
  }
}
