import { type Batch, buildBody, MAX_BATCH_BYTES } from "./batch.ts";
import { utf8Length } from "./utf8.ts";

/** Most events held in memory (CONTRACT 22). */
export const MAX_QUEUE_EVENTS = 10_000;

/** Most UTF-8 bytes held in memory (CONTRACT 22). */
export const MAX_QUEUE_BYTES: number = 16 * 1024 * 1024;

/** Stand-ins as long as what they stand for: a UUID and an ISO 8601 time. */
const ANY_ID = "-".repeat(36);
const ANY_TIME = "-".repeat(24);

/** Events that wait for delivery, in batches. Events of one kind in a row share a batch until it's full. */
export interface Queue {
  /** Every batch that isn't acknowledged or dropped yet, oldest first. */
  readonly batches: Batch[];
  /** Takes an event's JSON text. Returns whether that filled a batch, or began the next one. */
  add(event: string, init: Pick<Batch, "isAggregate" | "target" | "timeMs">): boolean;
  /** Returns the batches that get no more events and that no request carries. */
  idle(): Batch[];
  /** Ends the batch that is being filled. */
  seal(): void;
  /** Puts a batch behind the others. */
  postpone(batch: Batch): void;
  /** Takes an event back out of a batch that was never sent. Returns whether it was there. */
  withdraw(event: string): boolean;
  /** Removes events of a batch, by default all; with its last event the batch, and the request that carries it. */
  remove(batch: Batch, start?: number, amount?: number): void;
}

/** Creates an empty queue; `onOverflow` hears how many events the bounds cost. */
export function createQueue(onOverflow: (amount: number) => void): Queue {
  const batches: Batch[] = [];
  let open: Batch | undefined;
  let count = 0;
  let bytes = 0;
  const queue: Queue = {
    batches,
    add(event, init) {
      const size = utf8Length(event) + 1;
      if (open?.isAggregate !== init.isAggregate || open.bytes + size > MAX_BATCH_BYTES) {
        open = { ...init, events: [], size: Infinity, bytes: 0, errors: 0 };
        // The body repeats session, identity and context of its first event.
        open.bytes = utf8Length(buildBody({ id: ANY_ID, events: [event], size: 1 }, ANY_TIME)) - size;
        batches.push(open);
      }
      open.events.push(event);
      open.bytes += size;
      bytes += size;
      count++;
      const isReady = batches.length > 1 && open.events.length < 2;
      const isFull = open.events.length >= init.target.maxEvents || open.bytes >= MAX_BATCH_BYTES;
      if (isFull) queue.seal();
      while (count > MAX_QUEUE_EVENTS || bytes > MAX_QUEUE_BYTES) {
        const oldest = batches.find(({ cancel }) => !cancel);
        if (!oldest) break;
        // What an attempt may have delivered already goes as a whole: a batch with an ID doesn't change.
        const amount = oldest.id ? oldest.events.length : 1;
        onOverflow(amount);
        queue.remove(oldest, 0, amount);
      }
      return isReady || isFull;
    },
    idle: () => batches.filter((batch) => batch !== open && !batch.cancel),
    seal() {
      open = undefined;
    },
    postpone(batch) {
      batches.push(...batches.splice(batches.indexOf(batch), 1));
    },
    withdraw(event) {
      const batch = batches.find(({ id, events }) => !id && events.includes(event));
      if (batch) queue.remove(batch, batch.events.indexOf(event), 1);
      return !!batch;
    },
    remove(batch, start = 0, amount = batch.events.length) {
      const removed = batch.events.splice(start, amount);
      for (const event of removed) {
        const size = utf8Length(event) + 1;
        batch.bytes -= size;
        bytes -= size;
        count--;
      }
      if (batch.events.length) return;
      batch.cancel?.();
      batches.splice(batches.indexOf(batch), 1);
      if (open === batch) queue.seal();
    },
  };
  return queue;
}
