import type { Batch } from "../base/batch.ts";
import { createBatch } from "./batch.ts";
import type { ResolvedConfig } from "../config.ts";
import type { FinishedEvent } from "../base/draft.ts";
import type { PageEnvironment } from "../platform/environment.ts";
import { MAX_AGE_MS, MAX_BATCH_BYTES, MAX_QUEUE_BYTES, MAX_QUEUE_EVENTS } from "../base/limits.ts";
import { utf8Length } from "../base/utf8.ts";

/** Events that wait to be sent: sealed batches, and the open one that gets the next event. */
export interface Queue {
  /** Takes an event. */
  append(event: FinishedEvent): void;
  /** Takes the last event of the open batch back, by its text. Returns whether it was that one. */
  withdraw(text?: string): boolean;
  /** Asks for the open batch to be sent. It stays open until the next batch leaves, or tries to. */
  flush(): void;
  /** Takes a batch that failed, or that another page left: it goes behind the others. */
  add(batch: Batch): void;
  /** Returns whether it would be full with so many events more. */
  isFull(more: number): boolean;
  /** Returns the batches, the open one last. */
  batches(): readonly Batch[];
  /** Gives the oldest batches away that memory has no room for. */
  release(): readonly Batch[];
  /** Gives the batch away that is next. */
  next(): Batch | undefined;
  /** Seals the open batch and gives all batches away. */
  empty(): readonly Batch[];
}

/** A batch that gets more events. */
interface OpenBatch extends Batch {
  readonly events: string[];
  bytes: number;
}

/** Parts that a queue works with. */
export interface QueueParts {
  /** The configuration in force. */
  readonly config: ResolvedConfig;
}

/** Creates an empty queue. */
export const createQueue: (parts: QueueParts, page: PageEnvironment) => Queue = ((parts, page) => {
  const sealed: Batch[] = [];
  let open: OpenBatch | undefined;
  let isDue = false;

  const seal = (): void => {
    if (open) sealed.push(open);
    open = undefined;
    isDue = false;
  };
  return {
    append({ text, isAggregate }) {
      const { account, maxEvents } = parts.config;
      const bytes = utf8Length(text) + 1;
      if (
        open && (open.isAggregate !== isAggregate || open.bytes + bytes > MAX_BATCH_BYTES ||
          page.now() - open.timeMs >= MAX_AGE_MS) // what is dropped then takes nothing new along
      ) seal();
      if (open) {
        open.events.push(text);
        open.bytes += bytes;
      } else {
        open = createBatch({ id: page.randomId(), account, events: [text] }) as OpenBatch;
      }
      if (open.events.length >= maxEvents || open.bytes >= MAX_BATCH_BYTES) seal();
    },
    withdraw(text) {
      if (!open || open.events[open.events.length - 1] !== text) return false;
      open.events.pop();
      if (!open.events[0]) open = undefined;
      return true;
    },
    flush() {
      isDue = !!open;
    },
    add: (batch) => void sealed.push(batch),
    isFull: (more) => (open?.events.length ?? 0) + more >= parts.config.maxEvents,
    batches: () => open ? [...sealed, open] : sealed,
    release: (() => {
      let roomEvents = MAX_QUEUE_EVENTS;
      let roomBytes = MAX_QUEUE_BYTES;
      const excess = [...sealed].reverse().filter(({ events, bytes }) => {
        roomEvents -= events.length;
        roomBytes -= bytes;
        return Math.min(roomEvents, roomBytes) < 0;
      });
      return sealed.splice(0, excess.length);
    }) satisfies Queue["release"],
    next() {
      if (isDue) seal();
      return sealed.shift();
    },
    empty() {
      seal();
      return sealed.splice(0);
    },
  };
}) satisfies typeof createQueue;
