import type { Link } from "./jetstream_link.ts";
import { apiCodeOf, UNAVAILABLE_CODE } from "./jetstream_modules.ts";

/** Keeps a connection that answers. */
export interface LinkKeeper {
  /** Returns the connection of this moment. */
  current(): Link;
  /** Asks through the connection of this moment, and notes whether the cluster answers. */
  ask<T>(act: (link: Link) => Promise<T>): Promise<T>;
  /** Closes the connection of this moment, and opens no other. */
  close(): Promise<void>;
}

/** How long a connection may leave everything without an answer, and between two attempts to open another one. */
const SILENCE_MS = 10_000;

/** Between two looks at the silence. */
const CHECK_INTERVAL_MS = 1_000;

/**
 * Replaces a connection on which nothing is answered for 10 seconds: its server hangs, or is cut off, without a word.
 * The client by itself would stay on it for minutes, for it waits until what is stuck in the socket has been sent.
 */
export function keepLink(first: Link, open: (servers: readonly string[]) => Promise<Link>): LinkKeeper {
  let link = first;
  let silentSinceMs: number | undefined;
  let isOpening = false;
  let isClosed = false;

  async function replace(): Promise<void> {
    isOpening = true;
    try {
      const fresh = await open(link.otherServers());
      const left = isClosed ? fresh : link;
      if (!isClosed) link = fresh;
      silentSinceMs = undefined;
      // Nobody waits for its end: the connection that is left hangs.
      left.close().catch(() => {});
    } catch {
      // No other server can be reached; this one may come back first.
      silentSinceMs = performance.now();
    } finally {
      isOpening = false;
    }
  }

  const watch = setInterval(() => {
    if (!isOpening && silentSinceMs !== undefined && performance.now() - silentSinceMs >= SILENCE_MS) void replace();
  }, CHECK_INTERVAL_MS);

  return {
    current: () => link,
    async ask(act) {
      silentSinceMs ??= performance.now();
      try {
        const answer = await act(link);
        silentSinceMs = undefined;
        return answer;
      } catch (error) {
        // A refusal is an answer of the cluster. That nobody is there may be the answer of a server on its own.
        if (![undefined, UNAVAILABLE_CODE].includes(apiCodeOf(error))) silentSinceMs = undefined;
        throw error;
      }
    },
    async close() {
      isClosed = true;
      clearInterval(watch);
      await link.close();
    },
  };
}
