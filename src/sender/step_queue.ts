import { MAX_QUEUE_BYTES, MAX_QUEUE_EVENTS } from "../client/base/limits.ts";
import type { RecordedStep } from "./recorded_step.ts";

/** Steps that travel together. Nothing of it changes between attempts. */
export interface Batch<S extends RecordedStep = RecordedStep> {
  /** The `batchId`. */
  readonly id: string;
  /** Session of the envelope, which the contract asks for (SPEC 2.7) and nothing stores: random. */
  readonly sessionId: string;
  /** Its steps. */
  readonly steps: readonly S[];
}

/** The queue of what is to be sent. */
export interface StepQueue<S extends RecordedStep> {
  /** Takes a step; returns those that have to go for it, the oldest. */
  add(step: S): readonly S[];
  /** Returns whether a batch is full. */
  isFull(): boolean;
  /** Takes out what is to be sent next: steps that weren't sent before come first, so that no batch holds up others. */
  take(): Batch<S> | undefined;
  /** Puts a batch back that is to be sent again. */
  putBack(batch: Batch<S>): void;
  /** Puts the steps of a batch back that is too large, as two; returns whether there are two. */
  halve(batch: Batch<S>): boolean;
  /** Takes out all steps. */
  empty(): readonly S[];
}

/** Largest body in bytes, but for a single larger event: half of what the ingest takes. */
const MAX_BATCH_BYTES = 524_288;

/** Creates an empty queue. */
export function createStepQueue<S extends RecordedStep>(maxBatchSize: number): StepQueue<S> {
  /** Not sent yet. */
  let fresh: S[] = [];
  /** Sent before, and not taken. */
  let returned: Batch<S>[] = [];

  let [count, bytes] = [0, 0];
  const weigh = (steps: readonly S[], sign: 1 | -1): void => {
    count += sign * steps.length;
    for (const step of steps) bytes += sign * step.bytes;
  };

  function takeFresh(): Batch<S> | undefined {
    let size = 0;
    const end = fresh.findIndex((step, index) => {
      size += step.bytes;
      return index >= maxBatchSize || (index > 0 && size > MAX_BATCH_BYTES);
    });
    const steps = fresh.splice(0, end < 0 ? fresh.length : end);
    return steps.length > 0 ? createBatch(steps) : undefined;
  }

  return {
    add(step) {
      fresh.push(step);
      weigh([step], 1);
      const lost: S[] = [];
      while (count > MAX_QUEUE_EVENTS || bytes > MAX_QUEUE_BYTES) {
        const oldest = returned.shift()?.steps ?? fresh.splice(0, 1);
        weigh(oldest, -1);
        lost.push(...oldest);
      }
      return lost;
    },
    isFull: () => fresh.length >= maxBatchSize || bytes >= MAX_BATCH_BYTES,
    take() {
      const batch = takeFresh() ?? returned.shift();
      if (batch !== undefined) weigh(batch.steps, -1);
      return batch;
    },
    putBack(batch) {
      returned.push(batch);
      weigh(batch.steps, 1);
    },
    halve({ steps }) {
      if (steps.length < 2) return false;
      const middle = steps.length >> 1;
      returned.push(createBatch(steps.slice(0, middle)), createBatch(steps.slice(middle)));
      weigh(steps, 1);
      return true;
    },
    empty() {
      const all = [...returned.flatMap(({ steps }) => steps), ...fresh];
      [fresh, returned, count, bytes] = [[], [], 0, 0];
      return all;
    },
  };
}

function createBatch<S extends RecordedStep>(steps: readonly S[]): Batch<S> {
  return { id: crypto.randomUUID(), sessionId: crypto.randomUUID(), steps };
}
