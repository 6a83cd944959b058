import type { StreamSource } from "../stores/jetstream/stream_source.ts";

/** Removes from a stream what is no longer needed. */
export interface Purger {
  /** Ends it, after what is under way. */
  close(): Promise<void>;
}

/** When, and who hears of it. */
export interface PurgerOptions {
  /** Milliseconds that messages stay after they were acknowledged. */
  readonly purgeAfterMs: number;
  /** Current time in milliseconds, of a clock that nobody sets. */
  readonly now: () => number;
  /** Hears how many messages were removed. */
  readonly onPurged: (count: number) => void;
  /** Hears of an attempt that failed. */
  readonly onError: (error: unknown) => void;
}

/** The number up to which all was acknowledged at a time. */
interface Acknowledged {
  readonly upTo: number;
  readonly atMs: number;
}

/** Between two looks: a part of the time that messages stay, and no longer or shorter than so many milliseconds. */
const [LOOKS, MIN_LOOK_MS, MAX_LOOK_MS] = [10, 100, 60_000] as const;

/**
 * Removes the messages that every consumer has acknowledged, after a time. What was acknowledged is noted at each look:
 * the stream itself says when a message came, and not when it was acknowledged.
 */
export function createPurger(
  source: Pick<StreamSource, "findAcknowledged" | "purge">,
  { purgeAfterMs, now, onPurged, onError }: PurgerOptions,
): Purger {
  let noted: readonly Acknowledged[] = [];
  let purgedUpTo = 0;
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    const upTo = await source.findAcknowledged();
    const nowMs = now();
    const isRipe = ({ atMs }: Acknowledged): boolean => nowMs - atMs >= purgeAfterMs;
    const ripe = noted.findLast(isRipe);
    noted = [...noted.filter((one) => !isRipe(one)), { upTo, atMs: nowMs }];
    // A consumer that was added since then has acknowledged less.
    const last = Math.min(ripe?.upTo ?? 0, upTo);
    // A stream that was made anew begins at 1.
    purgedUpTo = Math.min(purgedUpTo, upTo);
    if (last <= purgedUpTo) return;
    onPurged(await source.purge(last));
    purgedUpTo = last;
  }

  if (purgeAfterMs === Infinity) return { close: () => Promise.resolve() };
  const timer = setInterval(() => {
    looking ??= look().catch(onError).finally(() => looking = undefined);
  }, Math.min(MAX_LOOK_MS, Math.max(MIN_LOOK_MS, purgeAfterMs / LOOKS)));
  return {
    async close() {
      clearInterval(timer);
      await looking;
    },
  };
}
