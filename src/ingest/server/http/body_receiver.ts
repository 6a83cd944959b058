import type { Answer } from "../../http/answers.ts";
import { createStopSignal, stopReading, type StopSignal } from "../../http/body.ts";
import { INCOMPLETE_BODY, receiveBody } from "../../http/request.ts";
import { type Arrival, type Exchange, keepBody, type Verdict } from "../../stages.ts";
import type { BusyCode } from "./answer_busy.ts";
import { createDeadlines, type Deadline } from "./deadlines.ts";

/** Bounds of the bodies that arrive: their bytes in all, those of one address, their speed. */
export const BODY_BOUNDS = ["bytes", "address", "rate"] as const;

/** One of {@linkcode BODY_BOUNDS}. */
export type BodyBound = typeof BODY_BOUNDS[number];

/** Bounds of what may arrive at a time. */
export interface BodyLimits {
  /** Most bytes that wait for the rest of their bodies. Beyond that the body that began first gives way. */
  readonly bytes: number;
  /** Most bodies of one address. */
  readonly bodiesPerAddress: number;
  /** Milliseconds that any body may take. */
  readonly graceMs: number;
  /** Number of bytes that make that a second longer. */
  readonly bytesPerS: number;
  /** The longest time that any body may take, in milliseconds. */
  readonly timeMs: number;
}

/** Options of {@linkcode createBodyReceiver}. */
export interface BodyReceiverOptions {
  /** Bounds of what may arrive at a time. */
  readonly limits: BodyLimits;
  /** Answers a request that is turned away. */
  readonly turnAway: (code: BusyCode) => Answer;
  /** Hears which bound ended a body. */
  readonly onBound: (bound: BodyBound) => void;
}

/** Reads bodies within bounds. */
export interface BodyReceiver {
  /** Reads a body whole, or says why not. */
  readonly receive: (exchange: Exchange) => Promise<Verdict>;
  /** Returns how many bodies are on their way. */
  bodies(): number;
  /** Returns how many bytes of them are here. */
  bytes(): number;
}

/** The bounds unless others are given. */
export const BODY_LIMITS: Omit<BodyLimits, "timeMs"> = {
  bytes: 67_108_864,
  bodiesPerAddress: 100,
  graceMs: 5_000,
  bytesPerS: 1_000,
};

/** A body on its way. */
interface Body extends Deadline {
  readonly network: string | undefined;
  readonly signal: StopSignal;
  readonly startMs: number;
  bytes: number;
  endMs: number;
  /** The reason of its end. */
  bound: BodyBound | undefined;
}

/**
 * Creates what reads bodies, before a request counts as one at work: a sender that stalls takes a little memory and
 * nobody else's place.
 */
export function createBodyReceiver({ limits, turnAway, onBound }: BodyReceiverOptions): BodyReceiver {
  // In the order in which they began.
  const bodies = new Set<Body>();
  const bodiesOf = new Map<string, number>();
  const deadlines = createDeadlines();
  let bytes = 0;

  function count(network: string | undefined, change: 1 | -1): void {
    if (network === undefined) return;
    const number = (bodiesOf.get(network) ?? 0) + change;
    if (number === 0) bodiesOf.delete(network);
    else bodiesOf.set(network, number);
  }

  function add(body: Body, received: number): void {
    body.bytes += received;
    body.endMs = body.startMs + timeOf(body.bytes, limits);
    bytes += received;
    // Whoever is honest is done in a moment: who began first is the one who stalls.
    for (const first of bodies) {
      if (bytes <= limits.bytes) return;
      end(first, "bytes");
    }
  }

  function begin({ network, startMs }: Arrival): Body {
    const body: Body = {
      network,
      signal: createStopSignal(),
      startMs,
      bytes: 0,
      endMs: startMs + timeOf(0, limits),
      bound: undefined,
      onOver: () => end(body, "rate"),
    };
    bodies.add(body);
    count(network, 1);
    deadlines.add(body);
    return body;
  }

  function end(body: Body, bound: BodyBound): void {
    remove(body);
    onBound(bound);
    body.bound = bound;
    stopReading(body.signal);
  }

  function remove(body: Body): void {
    deadlines.remove(body);
    if (!bodies.delete(body)) return;
    bytes -= body.bytes;
    count(body.network, -1);
  }

  return {
    receive: async (exchange) => {
      const { request, arrival } = exchange;
      const { network } = arrival;
      if (network !== undefined && (bodiesOf.get(network) ?? 0) >= limits.bodiesPerAddress) {
        onBound("address");
        return turnAway("too_many_bodies");
      }
      const body = begin(arrival);
      try {
        const received = await receiveBody(request, {
          signal: body.signal,
          onBytes: (received) => {
            if (bodies.has(body)) add(body, received);
          },
        });
        if (body.bound === undefined) return keepBody(exchange, received);
        return body.bound === "bytes" ? turnAway("overloaded") : INCOMPLETE_BODY;
      } finally {
        remove(body);
      }
    },
    bodies: () => bodies.size,
    bytes: () => bytes,
  };
}

/** Returns how long a body of which so much is here may take. */
function timeOf(bytes: number, { graceMs, bytesPerS, timeMs }: BodyLimits): number {
  return Math.min(timeMs, graceMs + (bytes / bytesPerS) * 1000);
}
