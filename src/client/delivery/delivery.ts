import { attempt } from "../base/attempt.ts";
import * as limits from "../base/limits.ts";
import type { ResolvedConfig } from "../config.ts";
import type { Consent } from "../consent.ts";
import type { DropReason, Tell } from "../hooks.ts";
import { isTransient, type PageEnvironment } from "../platform/environment.ts";
import { createTimer } from "../platform/timer.ts";
import type { Batch } from "../base/batch.ts";
import { halve } from "./batch.ts";
import { createInFlight, type Ending } from "./in_flight.ts";
import type { Link } from "./link.ts";
import type { Outbox } from "./outbox.ts";
import type { Queue } from "./queue.ts";

/**
 * Sends batches, acknowledges them, and waits. As a rule one request is under way, without keepalive: browsers
 * deliver keepalive requests even after an abort, and a denial must be able to stop it. When the page hides, and
 * before full collection ends, up to 8 requests with keepalive leave at once.
 */
export interface Delivery {
  /**
   * Does what can be done now: gives up what memory has no room for, sends the next batch if the link is open and no
   * request is under way, and ends the wait of each `flush()` that has nothing left to wait for.
   */
  pump(): void;
  /** Resolves when no request is under way and nothing more can be sent now, after 30 s at the latest. */
  flush(): Promise<void>;
  /** Saves everything and sends in this task what can leave together with the page. */
  drain(): void;
  /** Queues again what was under way, since a restored page may hear no answer to it, as far as it wasn't released. */
  restart(): void;
  /** Looks soon for what other pages left. */
  look(delayMs?: number): void;
  /**
   * Gives up queued batches that are full or of another account, and those under way should they fail. Saved copies stay on
   * the device, and are found there: nobody else's denial is missed that erased them.
   */
  release(): void;
  /** Drops everything, and aborts what is under way. */
  forget(): void;
}

/** Parts that delivery works with. */
export interface DeliveryParts {
  /** The configuration in force. */
  readonly config: ResolvedConfig;
  /** Which consent is in force. */
  readonly consent: Consent;
  /** Whether anything may be sent. */
  readonly link: Link;
  /** Batches to send. */
  readonly queue: Queue;
  /** Batches that outlive the page. */
  readonly outbox: Outbox;
  /** Hears of what happens to batches. */
  readonly tell: Tell;
}

/** Creates the delivery of a page. */
export const createDelivery: (parts: DeliveryParts, page: PageEnvironment) => Delivery = ((parts, page) => {
  const flushes: (() => void)[] = [];
  /** Batches of before full collection, its account or its visitor changed: they are found on the device alone. */
  let released: readonly Batch[] = [];
  /** A batch whose consent or account is in force no longer is acknowledged if it gets through, and not sent again. */
  const mayKeep = (batch: Batch): boolean =>
    batch.account === parts.config.account &&
    (batch.isAggregate || (parts.consent.is("granted") && !released.includes(batch)));
  /** Lets go of a batch. What the device has of it waits there for consent, or for an `init()` after a stop. */
  const letGo = (batch: Batch, reason: DropReason): void => {
    const kept = parts.outbox.remove(batch, reason === "consent" || reason === "stopped");
    parts.tell({ type: "dropped", reason, amount: batch.events.length - kept, batch });
  };
  const requeue = (batch: Batch): void => mayKeep(batch) ? parts.queue.add(batch) : letGo(batch, "consent");
  /** Sends a batch, unless it's so old that the ingest may not know its events again. */
  const send = (batch: Batch, keepalive: boolean): void => {
    if (page.now() - batch.timeMs < limits.MAX_AGE_MS) inFlight.send(batch, keepalive);
    else letGo(batch, "too_old");
  };
  const all = (): readonly Batch[] => [...inFlight.batches(), ...parts.queue.batches()];
  const takeAll = (): readonly Batch[] => [...inFlight.abort(true), ...parts.queue.empty()];
  const save = (): void => {
    // Of a closed client, which hears of no denial, that is nothing.
    parts.outbox.save(all().filter((batch) => mayKeep(batch) && !batch.isAggregate));
    if (all()[0]) saver.arm(limits.LEASE_MS / 2);
  };
  const take = (batch: Batch, answer: Ending): void => {
    const { status, retryAfterMs = 0, refusal } = answer;
    const isRetried = isTransient(status);
    parts.tell({ type: "answered", batch, answer });
    if (!isRetried) parts.link.open();
    if (status >= 200 && status < 300) parts.outbox.remove(batch);
    else if (isRetried) {
      requeue(batch);
      save();
      // What the ingest asks for holds also where full collection has ended since.
      if (batch.account === parts.config.account) {
        parts.tell({ type: "waiting", delayMs: parts.link.wait(retryAfterMs) });
      }
    } else if (!mayKeep(batch)) letGo(batch, "consent");
    else {
      parts.outbox.remove(batch); // what was refused doesn't stay on the device either
      const halves = status === 413 && attempt(() => halve(batch, page));
      if (halves) {
        halves.forEach(parts.queue.add);
        save();
      } else letGo(batch, refusal ? "stopped" : status === 413 ? "too_large" : "rejected");
      if (refusal) {
        parts.link.stop(); // the rest goes with the next pump()
        parts.tell({ type: "warned", message: `stopped until init(): ${refusal}` });
      }
    }
    delivery.pump();
  };
  const adopt = (): void => {
    if (!parts.consent.is("granted") || parts.link.is("stopped")) return;
    const batches = parts.outbox.find(all(), delivery.look);
    batches.forEach(parts.queue.add);
    if (batches[0]) save();
    delivery.pump();
  };
  const inFlight = createInFlight(parts, page, take);
  const saver = createTimer(page, save);
  const looker = createTimer(page, adopt);
  const stopTimers = (): void => [saver, looker].forEach(({ cancel }) => cancel());
  const delivery: Delivery = {
    pump: (() => {
      for (const batch of parts.queue.release()) letGo(batch, "queue_full");
      if (parts.link.is("stopped")) { for (const batch of takeAll()) letGo(batch, "stopped"); }
      while (parts.link.is("open") && !inFlight.batches()[0]) {
        const next = parts.queue.next();
        if (!next) break;
        send(next, false);
      }
      if (all()[0]) saver.arm(limits.SAVE_DELAY_MS);
      if (!inFlight.batches()[0]) flushes.splice(0).forEach((resolve) => resolve());
    }) satisfies Delivery["pump"],
    flush: () =>
      new Promise((resolve) => {
        flushes.push(page.setTimer(resolve, limits.TIMEOUT_MS), resolve); // a process would wait for the timer
        delivery.pump();
      }),
    drain() {
      save(); // before anything else, since the browser may stop us midway
      inFlight.abort(false).forEach(parts.queue.add);
      let room = parts.link.isHeld() ? 0 : limits.KEEPALIVE_BUDGET_BYTES;
      for (const { bytes } of inFlight.batches()) room -= bytes;
      parts.queue.flush();
      for (const _ of [...parts.queue.batches()]) {
        const batch = parts.queue.next();
        if (!batch) return; // a fetch() of the page has denied meanwhile
        if (batch.bytes > room || inFlight.batches().length >= limits.MAX_EXIT_REQUESTS) parts.queue.add(batch);
        else {
          room -= batch.bytes;
          send(batch, true);
        }
      }
    },
    restart: () => takeAll().forEach(requeue),
    look: (delayMs = 0) => looker.arm(delayMs + page.random() * limits.LOOK_SPREAD_MS),
    release() {
      stopTimers();
      released = all();
      parts.queue.empty().forEach(requeue);
      released = inFlight.batches(); // the others stay in memory no longer
    },
    forget() {
      stopTimers();
      for (const batch of takeAll()) {
        parts.outbox.remove(batch);
        parts.tell({ type: "dropped", reason: "consent", amount: batch.events.length });
      }
      delivery.pump();
    },
  };
  return delivery;
}) satisfies typeof createDelivery;
