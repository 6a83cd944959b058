import { type Bytes, INCOMPLETE_BODY, receiveBody } from "../../http/body.ts";
import { toNetwork } from "../../contract/syntax.ts";
import type { Refusal } from "../../contract/refusal.ts";
import type { BusyCode } from "./answer_busy.ts";
import type { Peer } from "./sender.ts";

/** What bounds the bodies that arrive: their bytes in all, those of one address, how fast they come. */
export const BODY_BOUNDS = ["bytes", "address", "rate"] as const;

/** One of {@linkcode BODY_BOUNDS}. */
export type BodyBound = typeof BODY_BOUNDS[number];

/** How much may arrive at a time. */
export interface BodyLimits {
  /** Most bytes that wait for the rest of their bodies. Beyond that the body that began first gives way. */
  readonly bytes: number;
  /** Most bodies of one address. */
  readonly bodiesPerAddress: number;
  /** How long any body may take, in milliseconds. */
  readonly graceMs: number;
  /** How many bytes make that a second longer. */
  readonly bytesPerS: number;
  /** The longest time that any body may take, in milliseconds. */
  readonly timeMs: number;
}

/** What {@linkcode createBodyReceiver} takes. */
export interface BodyReceiverOptions {
  /** How much may arrive at a time. */
  readonly limits: BodyLimits;
  /** Answers a request that is turned away. */
  readonly turnAway: (code: BusyCode) => Response;
  /** Hears which bound ended a body. */
  readonly onBound: (bound: BodyBound) => void;
}

/** Reads bodies within bounds. */
export interface BodyReceiver {
  /** Reads a body whole, or says why not. */
  receive(request: Request, sender: Peer): Promise<Bytes | Refusal | Response>;
  /** Returns how many bodies are on their way. */
  bodies(): number;
  /** Returns how many bytes of them are here. */
  bytes(): number;
}

/** What is bounded where nothing else is said. */
export const BODY_LIMITS: Omit<BodyLimits, "timeMs"> = {
  bytes: 67_108_864,
  bodiesPerAddress: 100,
  graceMs: 5_000,
  bytesPerS: 1_000,
};

/** A body on its way. */
interface Body {
  readonly network: string | undefined;
  readonly controller: AbortController;
  bytes: number;
}

/**
 * Creates what reads bodies, before a request counts as one at work: a sender that stalls takes a little memory and
 * nobody else's place.
 */
export function createBodyReceiver({ limits, turnAway, onBound }: BodyReceiverOptions): BodyReceiver {
  // In the order in which they began.
  const bodies = new Set<Body>();
  const bodiesOf = new Map<string, number>();
  let bytes = 0;

  function count(network: string | undefined, change: 1 | -1): void {
    if (network === undefined) return;
    const number = (bodiesOf.get(network) ?? 0) + change;
    if (number === 0) bodiesOf.delete(network);
    else bodiesOf.set(network, number);
  }

  function add(body: Body, received: number): void {
    body.bytes += received;
    bytes += received;
    // Whoever is honest is done in a moment: who began first is the one who stalls.
    for (const first of bodies) {
      if (bytes <= limits.bytes) return;
      end(first, "bytes");
    }
  }

  function end(body: Body, bound: BodyBound): void {
    remove(body);
    onBound(bound);
    body.controller.abort(bound);
  }

  function remove(body: Body): void {
    if (!bodies.delete(body)) return;
    bytes -= body.bytes;
    count(body.network, -1);
  }

  /** Ends the body when it is too slow; returns the function that stops watching. */
  function watch(body: Body): () => void {
    const startMs = performance.now();
    const look = (): void => {
      const leftMs = timeOf(body, limits) - (performance.now() - startMs);
      if (leftMs > 0) timer = setTimeout(look, Math.ceil(leftMs));
      else end(body, "rate");
    };
    let timer = setTimeout(look, timeOf(body, limits));
    return () => clearTimeout(timer);
  }

  return {
    async receive(request, { address, readBody }): Promise<Bytes | Refusal | Response> {
      const network = address === undefined ? undefined : toNetwork(address);
      if (network !== undefined && (bodiesOf.get(network) ?? 0) >= limits.bodiesPerAddress) {
        onBound("address");
        return turnAway("too_many_bodies");
      }
      const body: Body = { network, controller: new AbortController(), bytes: 0 };
      const { signal } = body.controller;
      bodies.add(body);
      count(network, 1);
      const unwatch = watch(body);
      try {
        const received = await receiveBody(request, {
          signal,
          ...(readBody && { read: readBody }),
          onBytes: (received) => {
            if (bodies.has(body)) add(body, received);
          },
        });
        if (!signal.aborted) return received;
        return signal.reason === "bytes" ? turnAway("overloaded") : INCOMPLETE_BODY;
      } finally {
        unwatch();
        remove(body);
      }
    },
    bodies: () => bodies.size,
    bytes: () => bytes,
  };
}

/** Returns how long a body of which so much is here may take. */
function timeOf({ bytes }: Body, { graceMs, bytesPerS, timeMs }: BodyLimits): number {
  return Math.min(timeMs, graceMs + (bytes / bytesPerS) * 1000);
}
