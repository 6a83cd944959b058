/** The rate of a key's requests. */
export interface RateLimit {
  /** Requests per second in the long run. More than 0. */
  readonly requestsPerSecond: number;
  /**
   * Requests that may come at once after a pause. At least 1.
   *
   * @default {requestsPerSecond, and at least 1}
   */
  readonly burst?: number;
}

/** Admits requests at a steady rate. */
export interface TokenBucket {
  /** Takes a token where so many others are left, and returns 0, or returns how many milliseconds to wait for that. */
  take(left?: number): number;
  /** Takes tokens that there may not be: they are missing until they were filled in. */
  spend(count: number): void;
  /** Puts a token back. */
  giveBack(): void;
  /** Returns whether no token is missing. */
  isFull(): boolean;
}

/** Creates a full bucket. Where several processes share a key, each of them has buckets of its own. */
export function createTokenBucket(
  { requestsPerSecond, burst = Math.max(1, requestsPerSecond) }: RateLimit,
  now: () => number,
): TokenBucket {
  let tokens = burst;
  let filledAtMs: number | undefined;

  function fill(): void {
    const nowMs = now();
    // A clock that was set back fills nothing, and holds up nothing afterwards.
    const elapsedMs = Math.max(0, nowMs - (filledAtMs ?? nowMs));
    filledAtMs = nowMs;
    tokens = Math.min(burst, tokens + (elapsedMs / 1000) * requestsPerSecond);
  }

  return {
    take: (left = 0) => {
      fill();
      if (tokens >= 1 + left) {
        tokens -= 1;
        return 0;
      }
      return ((1 + left - tokens) / requestsPerSecond) * 1000;
    },
    spend: (count) => {
      fill();
      tokens -= count;
    },
    giveBack: () => {
      tokens = Math.min(burst, tokens + 1);
    },
    isFull: () => {
      fill();
      return tokens === burst;
    },
  };
}

/** Returns what is wrong with a limit. */
export function findRateLimitProblem({ requestsPerSecond, burst = 1 }: RateLimit): string | undefined {
  if (!(requestsPerSecond > 0) || !Number.isFinite(requestsPerSecond)) {
    return "requestsPerSecond must be a number above 0";
  }
  if (!(burst >= 1) || !Number.isFinite(burst)) return "burst must be a number of at least 1";
}
