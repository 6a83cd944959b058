import { type Batch, type BatchContent, createBatch, expand, isComplete } from "./batch.ts";
import type { CapturedEvent } from "./capture.ts";
import { CROWDED_EVENTS, MAX_AGE_MS, MAX_BATCH_BYTES, MAX_QUEUE_BYTES, MAX_QUEUE_EVENTS } from "./limits.ts";
import type { Outbox } from "./outbox.ts";
import type { DropReason, Report } from "./report.ts";
import { utf8Length } from "./utf8.ts";
import { SDK_VERSION } from "./version.ts";

/** What isn't acknowledged or dropped yet, within the bounds of memory. */
export interface Queue {
  /** Adopted batches, then the page's own, each oldest first. Only the last one gets more events. */
  readonly batches: readonly Batch[];
  /** Whether there might be no room for another full batch. */
  isCrowded(): boolean;
  /** Takes an event that was finished just now; returns its batch. */
  append(event: CapturedEvent, kind: Pick<Batch, "target" | "isAggregate" | "timeMs">): Batch;
  /** Notes that a request carries a batch now, or none does. What is under way doesn't count against the bounds. */
  carry(batch: Batch, cancel?: Batch["cancel"]): void;
  /** Takes what other pages left. Returns whether there is anything. */
  adopt(contents: readonly BatchContent[], target: Batch["target"]): boolean;
  /** Drops what is too old, and lets go of what another page adopted while this one slept, if storage may be read. */
  weed(nowMs: number, isGranted: boolean): void;
  /** Removes events of a batch, and the batch with its last event. */
  take(batch: Batch, start: number, amount: number): void;
  /** Removes a batch that is done with: delivered, or dropped for a reason. */
  remove(batch: Batch, reason?: DropReason): void;
  /** Removes a batch that stays on the device; what isn't there is dropped. */
  leave(batch: Batch, reason?: DropReason): void;
  /** Makes two batches of one; returns the new one, which goes before. */
  halve(batch: Batch): Batch;
}

/** What a queue works with. */
export interface QueueOptions {
  /** Where drops are counted. */
  readonly report: Report;
  /** What outlives the page. */
  readonly outbox: Outbox;
}

/** Creates an empty queue. */
export function createQueue({ report, outbox }: QueueOptions): Queue {
  const batches: Batch[] = [];
  const held = { events: 0, bytes: 0 };
  const insert = (index: number, batch: Batch): void => {
    batches.splice(index, 0, batch);
    held.events += batch.events.length;
    held.bytes += batch.bytes;
  };
  const grow = (batch: Batch, bytes: number): void => {
    batch.bytes += bytes;
    held.bytes += bytes;
  };
  const queue: Queue = {
    batches,
    isCrowded: () => held.events > CROWDED_EVENTS,
    append({ text, tail, bytes }, kind) {
      let batch = batches.at(-1);
      if (
        !batch || isComplete(batch) || batch.target !== kind.target || batch.isAggregate !== kind.isAggregate ||
        batch.bytes + bytes >= MAX_BATCH_BYTES
      ) {
        const events = [`${text}\t${tail}`];
        batch = createBatch({ ...kind, version: SDK_VERSION, errors: 0, events });
        insert(batches.length, batch);
      } else {
        const event = text + (batch.tail === tail ? "" : `\t${tail}`);
        batch.events.push(event);
        batch.lines &&= `${batch.lines}\n${event}`;
        batch.isDirty = true;
        held.events++;
        grow(batch, bytes + 1);
      }
      batch.tail = tail;
      while (held.events > MAX_QUEUE_EVENTS || held.bytes > MAX_QUEUE_BYTES) {
        const oldest = batches.find(({ cancel }) => !cancel);
        if (!oldest) break;
        // What an attempt may have delivered already goes as a whole: a batch with an ID doesn't change.
        if (oldest.id || !oldest.events[1]) queue.remove(oldest, "queue_full");
        else {
          queue.take(oldest, 0, 1);
          report.drop("queue_full", 1);
        }
      }
      return batch;
    },
    adopt(contents, target) {
      contents.forEach((content, i) => insert(i, createBatch({ ...content, target, isAdopted: true })));
      return contents.length > 0;
    },
    carry(batch, cancel) {
      held.events += batch.cancel ? batch.events.length : 0;
      held.events -= cancel ? batch.events.length : 0;
      batch.cancel = cancel;
    },
    weed(nowMs, isGranted) {
      for (const batch of isGranted ? outbox.findLost(batches) : []) {
        queue.take(batch, 0, batch.saved);
        batch.key = batch.id = undefined;
      }
      for (const batch of [...batches]) {
        if (!batch.cancel && nowMs - batch.timeMs > MAX_AGE_MS) queue.remove(batch, "too_old");
      }
    },
    take(batch, start, amount) {
      batch.cancel?.();
      const { events } = batch;
      const texts = amount < events.length ? expand(events.slice(0, start + amount + 1)) : [];
      const taken = texts.splice(start, events.splice(start, amount).length);
      batch.isDirty = true;
      batch.saved -= Math.min(batch.saved, amount);
      held.events -= amount;
      grow(batch, events.length ? -utf8Length(taken.join()) - 1 : -batch.bytes);
      if (!events.length && batches.includes(batch)) batches.splice(batches.indexOf(batch), 1);
      // The event whose tail the next ones share may be gone.
      batch.tail = batch.lines = undefined;
      const own = events[start]?.split("\t")[0];
      if (own) events[start] = `${own}\t${texts[start]?.slice(own.length)}`;
    },
    remove(batch, reason) {
      outbox.remove(batch);
      queue.leave(batch, reason);
    },
    leave(batch, reason) {
      const amount = batch.events.length - batch.saved;
      queue.take(batch, 0, batch.events.length);
      if (reason) report.drop(reason, amount); // last, since a page may track what its console is told
    },
    halve(batch) {
      outbox.remove(batch);
      const half = createBatch({ ...batch, events: batch.events.slice(0, batch.events.length >> 1) });
      queue.take(batch, 0, half.events.length);
      insert(batches.indexOf(batch), half);
      return half;
    },
  };
  return queue;
}
