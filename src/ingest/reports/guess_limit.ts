import { createTokenBucket, type TokenBucket } from "../keys/token_bucket.ts";
import { toNetwork } from "../request/network.ts";

/** Limits how often secrets can be tried. */
export interface GuessLimit {
  /** Takes one of the tries of an address and returns 0, or returns how many milliseconds to wait for one. */
  take(address: string): number;
  /** Gives a try back whose secret was right. */
  giveBack(address: string): void;
}

/** Wrong secrets that may come from an address at once. */
const BURST = 10;

/** Wrong secrets that may come from an address in the long run. */
const PER_MINUTE = 10;

/** Addresses that are remembered; past that, the one that was quiet for longest is forgotten. */
const MAX_ADDRESSES = 1000;

/** Creates the limit, in memory: a few hundred bytes for each address that tried a secret. */
export function createGuessLimit(now: () => number): GuessLimit {
  const buckets = new Map<string, TokenBucket>();

  return {
    take: (address) => {
      const network = toNetwork(address);
      const bucket = buckets.get(network) ??
        createTokenBucket({ requestsPerSecond: PER_MINUTE / 60, burst: BURST }, now);
      // A map keeps the order of insertion: the first is the one not seen for longest.
      buckets.delete(network);
      buckets.set(network, bucket);
      const [quietest = network] = buckets.keys();
      if (buckets.size > MAX_ADDRESSES) buckets.delete(quietest);
      return bucket.take();
    },
    giveBack: (address) => buckets.get(toNetwork(address))?.giveBack(),
  };
}
