/** The memory that work takes, and the network that it is of. */
export interface Claim {
  /** Bytes that it holds until it has ended. */
  readonly bytes: number;
  /** Network of the sender; undefined where it isn't known. */
  readonly network: string | undefined;
}

/** Work that needs memory. */
export interface Work<R> {
  /** Does it. */
  readonly run: () => R | Promise<R>;
  /** Doesn't. */
  readonly turnAway: () => R;
}

/** Settings of {@linkcode createMemorySemaphore}. */
export interface MemoryLimits {
  /** Most bytes that are held at a time. Work that is alone starts whatever it holds. */
  readonly bytes: number;
  /** Which part of the process's time the work of one network may take in the long run. */
  readonly share: number;
  /** Most milliseconds that it may take at once after a pause. */
  readonly burstMs: number;
  /** Most pieces of work of one network that may wait. */
  readonly waiting: number;
}

/** Bounds what is held at a time, and what one network makes the process do. */
export interface MemorySemaphore {
  /**
   * Does work once there is memory for it beside the others', and time of its network's share. Whoever needs neither
   * doesn't wait for those that do. Turns it away where too much of the network waits.
   */
  take<R>(claim: Claim, work: Work<R>): Promise<R>;
}

/** The use of a network. */
interface Use {
  /** Time above its share, as of then. */
  spentMs: number;
  atMs: number;
  waiting: number;
}

interface Waiting extends Claim {
  readonly start: () => void;
}

/** Number of networks from which on those that are within their share are forgotten. */
const MAX_USES = 1000;

/** Most milliseconds for which work is started in a row, while requests may wait that haven't been looked at. */
const MAX_START_MS = 10;

/** Creates a semaphore that counts bytes. */
export function createMemorySemaphore(limits: MemoryLimits): MemorySemaphore {
  const waiting = new Set<Waiting>();
  const uses = new Map<string, Use>();
  let taken = 0;
  let isYielding = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function findUse(network: string): Use {
    const use = uses.get(network) ?? { spentMs: 0, atMs: 0, waiting: 0 };
    const nowMs = performance.now();
    use.spentMs = Math.max(0, use.spentMs - (nowMs - use.atMs) * limits.share);
    use.atMs = nowMs;
    uses.set(network, use);
    return use;
  }

  function forgetIdle(): void {
    if (uses.size <= MAX_USES) return;
    for (const network of uses.keys()) {
      const use = findUse(network);
      if (use.spentMs === 0 && use.waiting === 0) uses.delete(network);
    }
  }

  /** Returns how long a network has to wait, in milliseconds. */
  function findWaitMs(network: string | undefined): number {
    if (network === undefined) return 0;
    return Math.max(0, findUse(network).spentMs - limits.burstMs) / limits.share;
  }

  function hasRoom({ bytes }: Claim): boolean {
    return taken === 0 || taken + bytes <= limits.bytes;
  }

  function startNext(): void {
    if (isYielding || waiting.size === 0) return;
    clearTimeout(timer);
    const endMs = performance.now() + MAX_START_MS;
    let waitMs = Infinity;
    for (const next of waiting) {
      if (!hasRoom(next)) continue;
      const nextWaitMs = findWaitMs(next.network);
      waitMs = Math.min(waitMs, nextWaitMs || Infinity);
      if (nextWaitMs > 0) continue;
      waiting.delete(next);
      taken += next.bytes;
      next.start();
      if (waiting.size > 0 && performance.now() > endMs) return yieldOnce();
    }
    if (waitMs < Infinity) timer = setTimeout(startNext, Math.ceil(waitMs));
  }

  /** Lets the process look at what has arrived meanwhile. */
  function yieldOnce(): void {
    isYielding = true;
    setTimeout(() => {
      isYielding = false;
      startNext();
    });
  }

  /** Starts work, and charges what it takes until it waits for something: in that time nobody else gets on. */
  function start<R>(network: string | undefined, work: () => R | Promise<R>): R | Promise<R> {
    if (network === undefined) return work();
    const startMs = performance.now();
    const working = work();
    findUse(network).spentMs += performance.now() - startMs;
    return working;
  }

  function count(network: string | undefined, change: 1 | -1): void {
    if (network !== undefined) findUse(network).waiting += change;
  }

  /** Returns whether work needn't wait: for no room, no time of its network, and nobody who came before. */
  function mayStart(claim: Claim): boolean {
    return waiting.size === 0 && !isYielding && hasRoom(claim) && findWaitMs(claim.network) === 0;
  }

  function startAtOnce<R>({ bytes, network }: Claim, work: () => R | Promise<R>): R | Promise<R> {
    taken += bytes;
    return start(network, work);
  }

  function startInTurn<R>(claim: Claim, work: () => R | Promise<R>): Promise<R> {
    count(claim.network, 1);
    return new Promise<R>((resolve) => {
      waiting.add({
        ...claim,
        start: () => {
          count(claim.network, -1);
          resolve(start(claim.network, work));
        },
      });
      startNext();
    });
  }

  return {
    take: async <R>(claim: Claim, { run, turnAway }: Work<R>) => {
      const { bytes, network } = claim;
      if (network !== undefined && findUse(network).waiting >= limits.waiting) return turnAway();
      try {
        return await (mayStart(claim) ? startAtOnce(claim, run) : startInTurn(claim, run));
      } finally {
        taken -= bytes;
        startNext();
        forgetIdle();
      }
    },
  };
}
