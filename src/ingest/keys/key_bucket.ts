import { createTokenBucket, type RateLimit, type TokenBucket } from "./token_bucket.ts";

/** Admits requests of a key at a steady rate. */
export interface KeyBucket {
  /**
   * Takes a token and returns 0, or returns how many milliseconds to wait for one. Once half of the tokens are used, the
   * sender's network, where it's known, must also keep to half of the key's rate.
   */
  take(network?: string): number;
}

/** Number of networks from which on those are forgotten that could send a whole burst. */
const MAX_NETWORKS = 1000;

/**
 * Creates the bucket of a key, in which one network can't take everybody's tokens. A quarter of a burst is left for
 * others; in the long run a network that sends alone gets all there is, and half where others send.
 */
export function createKeyBucket(limit: RateLimit, now: () => number): KeyBucket {
  const { requestsPerSecond, burst = Math.max(1, requestsPerSecond) } = limit;
  const whole = createTokenBucket({ requestsPerSecond, burst }, now);
  const share = { requestsPerSecond: requestsPerSecond / 2, burst: Math.max(1, burst / 4) };
  const setAside = Math.floor(burst / 2);
  const networks = new Map<string, TokenBucket>();

  function find(network: string): TokenBucket {
    const own = networks.get(network) ?? createTokenBucket(share, now);
    networks.set(network, own);
    if (networks.size <= MAX_NETWORKS) return own;
    for (const [other, bucket] of networks) {
      if (bucket !== own && bucket.isFull()) networks.delete(other);
    }
    return own;
  }

  return {
    take: (network) => {
      if (network === undefined) return whole.take();
      const waitMs = whole.take(setAside);
      if (waitMs === 0) return 0;
      const own = find(network);
      const ownWaitMs = own.take();
      if (ownWaitMs > 0) return Math.min(waitMs, ownWaitMs);
      const emptyMs = whole.take();
      if (emptyMs > 0) own.giveBack();
      return emptyMs;
    },
  };
}
