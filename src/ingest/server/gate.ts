import { answerRefusal } from "../request/answers.ts";

/** Settings of {@linkcode createGate}. */
export interface GateOptions {
  /** Answers a request. */
  readonly handle: (request: Request) => Promise<Response>;
  /** Most requests at work at a time. */
  readonly maxPending: number;
  /** How long a request may take in milliseconds, from its headers to its answer. */
  readonly deadlineMs: number;
  /** Hears of each request that is turned away. */
  readonly onBusy: (code: BusyCode) => void;
}

/** Why a request is turned away: there are too many at work, it took too long, or the server is about to end. */
export type BusyCode = "overloaded" | "timeout" | "stopping";

/** Lets no more requests in than the process can hold. */
export interface Gate {
  /** Answers a request, or turns it away with 503 and Retry-After. Rejects where the handler does. */
  readonly handle: (request: Request) => Promise<Response>;
  /** Returns how many requests are at work. */
  pending(): number;
  /** Turns away whatever comes from now on, and resolves when no request is at work any more. */
  close(): Promise<void>;
}

/** What a sender is told to wait, in seconds. */
const RETRY_AFTER_S = 2;

const MESSAGES: Readonly<Record<BusyCode, string>> = {
  overloaded: "too many requests at a time, try again later",
  timeout: "the request took too long, try again later",
  stopping: "the server is about to end, try again later",
};

/**
 * Creates a gate. A request counts until its handler has ended, also when its sender was answered before: a sink
 * that hangs fills the gate, and not the memory.
 */
export function createGate({ handle, maxPending, deadlineMs, onBusy }: GateOptions): Gate {
  let pending = 0;
  let isClosed = false;
  const waiting: (() => void)[] = [];

  function leave(): void {
    pending -= 1;
    if (pending === 0) waiting.splice(0).forEach((resolve) => resolve());
  }

  function turnAway(code: BusyCode): Response {
    onBusy(code);
    return answerRefusal({ status: 503, code, message: MESSAGES[code], retryAfterS: RETRY_AFTER_S });
  }

  function enter(request: Request): Promise<Response> {
    pending += 1;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve(turnAway("timeout")), deadlineMs);
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        leave();
        settle();
      };
      handle(request).then((response) => end(() => resolve(response)), (error) => end(() => reject(error)));
    });
  }

  return {
    handle: (request) => {
      if (isClosed) return Promise.resolve(turnAway("stopping"));
      return pending < maxPending ? enter(request) : Promise.resolve(turnAway("overloaded"));
    },
    pending: () => pending,
    close: () => {
      isClosed = true;
      return new Promise((resolve) => pending === 0 ? resolve() : waiting.push(resolve));
    },
  };
}
