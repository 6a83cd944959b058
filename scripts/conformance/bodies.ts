/**
 * Bodies with ids of their own: an ingest remembers those of earlier runs.
 *
 * @module
 */
import type { AggregatePageviewPayload, EventRequestPayload, StepEvent } from "../../src/client/base/types.ts";
import { AGGREGATE, EVENT, FULL, PAGEVIEW } from "../../tests/ingest/fixtures.ts";
import type { Target } from "./target.ts";

/** Builds so many events. */
export function newEvents(target: Target, count: number): readonly StepEvent[] {
  return Array.from({ length: count }, () => ({ ...EVENT, id: target.newId() }));
}

/** Builds a full body of the events. */
export function fullOf(target: Target, events: readonly object[]): EventRequestPayload {
  return { ...FULL, batchId: target.newId(), events: events as readonly StepEvent[] };
}

/** Builds a full body of so many events. */
export function newFull(target: Target, count = 1): EventRequestPayload {
  return fullOf(target, newEvents(target, count));
}

/** Builds an aggregate body of so many pageviews. */
export function newAggregate(target: Target, count = 1): AggregatePageviewPayload {
  const events = Array.from({ length: count }, () => ({ ...PAGEVIEW, id: target.newId() }));
  return { ...AGGREGATE, batchId: target.newId(), events };
}

/** Begins the padding: spaces alone would unfold to a thousand times their gzip, which an ingest may refuse. */
const NUMBERS = Array.from({ length: 50_000 }, (_, index) => index).join(" ");

/** Builds a body of exactly so many bytes, with an unknown field for padding. */
export function paddedTo(body: object, bytes: number): Uint8Array<ArrayBuffer> {
  const encode = (padding: string): Uint8Array<ArrayBuffer> =>
    new TextEncoder().encode(JSON.stringify({ ...body, padding }));
  const length = bytes - encode("").length;
  return encode(NUMBERS.slice(0, length).padEnd(length));
}

/** Compresses bytes. */
export async function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
