import { answerRefusal } from "../../http/answers.ts";
import type { SinkRefusal } from "../../ports/sink.ts";

/**
 * Why a server turns a request away that the ingest would take: there are too many at work or arriving, too many of one
 * address, it took too long, or the server is about to end.
 */
export const BUSY_CODES = ["overloaded", "too_many_bodies", "timeout", "stopping"] as const;

/** One of {@linkcode BUSY_CODES}. */
export type BusyCode = typeof BUSY_CODES[number];

/** Settings of {@linkcode createGate}. */
export interface GateOptions {
  /** Most requests at work at a time. */
  readonly maxPending: number;
  /** Answers a request that is turned away. */
  readonly turnAway: (code: BusyCode) => Response;
}

/** Lets no more requests to work than the process can hold. */
export interface Gate {
  /** Does the work, or turns the request away: at once, or when its time is over. Rejects where the work does. */
  run(work: () => Promise<Response>, timeMs: number): Promise<Response>;
  /** Returns how many requests are at work. */
  pending(): number;
  /** Resolves when no request is at work. */
  idle(): Promise<void>;
}

/** Counts what is under way. */
export interface Tally {
  /** Counts one until its promise settles. */
  count<T>(promise: Promise<T>): Promise<T>;
  /** Returns how many there are. */
  size(): number;
  /** Resolves when there is none. */
  idle(): Promise<void>;
}

/** What a sender is told to wait, in seconds. */
const RETRY_AFTER_S = 2;

const ANSWERS: Readonly<Record<BusyCode, Pick<SinkRefusal, "status" | "message">>> = {
  overloaded: { status: 503, message: "too many requests at a time, try again later" },
  too_many_bodies: { status: 429, message: "too many unfinished requests from your address, try again later" },
  timeout: { status: 503, message: "the request took too long, try again later" },
  stopping: { status: 503, message: "the server is about to end, try again later" },
};

/**
 * Creates a gate. A request counts until its work has ended, also when its sender was answered before: a sink that
 * hangs fills the gate, and not the memory.
 */
export function createGate({ maxPending, turnAway }: GateOptions): Gate {
  const pending = createTally();

  return {
    run: (work, timeMs) => {
      if (pending.size() >= maxPending) return Promise.resolve(turnAway("overloaded"));
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => resolve(turnAway("timeout")), timeMs);
        pending.count(work()).finally(() => clearTimeout(timer)).then(resolve, reject);
      });
    },
    pending: pending.size,
    idle: pending.idle,
  };
}

/** Creates a tally. */
export function createTally(): Tally {
  let size = 0;
  const waiting: (() => void)[] = [];

  return {
    count: (promise) => {
      size += 1;
      return promise.finally(() => {
        size -= 1;
        if (size === 0) waiting.splice(0).forEach((resolve) => resolve());
      });
    },
    size: () => size,
    idle: () => new Promise((resolve) => size === 0 ? resolve() : waiting.push(resolve)),
  };
}

/** Answers a request that is turned away. */
export function answerBusy(code: BusyCode): Response {
  return answerRefusal({ ...ANSWERS[code], code, retryAfterS: RETRY_AFTER_S });
}
