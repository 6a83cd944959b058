import * as limits from "../base/limits.ts";
import type { ResolvedConfig } from "../config.ts";
import type { Consent } from "../consent.ts";
import type { DropReason, Tell } from "../hooks.ts";
import { isTransient, type PageEnvironment } from "../platform/environment.ts";
import { createTimer } from "../platform/timer.ts";
import { type Batch, createBatch } from "./batch.ts";
import { createInFlight, type Ending, type Request } from "./in_flight.ts";
import { createLink } from "./link.ts";
import type { Outbox } from "./outbox.ts";
import type { Queue } from "./queue.ts";

/**
 * Sends batches, acknowledges them, and waits. As a rule one request is under way, without keepalive: browsers
 * deliver keepalive requests even after an abort, and a denial must be able to stop it. When the page hides, and
 * before full collection ends, up to 8 requests with keepalive leave at once.
 */
export interface Delivery {
  /** Sends the next batch, if one may be sent now. */
  pump(): void;
  /** Asks for everything to be sent; resolves when nothing more can be sent now, after 30 s at the latest. */
  flush(): Promise<void>;
  /** Saves everything and sends in this task what can leave together with the page. */
  drain(): void;
  /** Ends the backoff: the next `pump()` sends. */
  reopen(): void;
  /**
   * Queues again what was under way, since a restored page may hear no answer to it. Where the visitor `isOther` than
   * before, memory keeps nothing: a denial may have erased it meanwhile. What is still on the device is found there.
   */
  restart(isOther: boolean): void;
  /** Looks soon for what other pages left. */
  look(): void;
  /** Gives up queued batches that are full or of another account. Saved copies stay on the device. */
  release(): void;
  /** Drops everything, and aborts what is under way. */
  clear(): void;
  /** Starts afresh, without a wait. For the same account (`isSame`) only a stop ends, and a wait goes on. */
  reset(isSame: boolean): void;
}

/** What delivery works with. */
export interface DeliveryOptions {
  /** Returns the configuration in force. */
  readonly config: () => ResolvedConfig;
  /** Returns whether a state of consent is in force. */
  readonly is: Consent["is"];
  /** What is to be sent. */
  readonly queue: Queue;
  /** What outlives the page. */
  readonly outbox: Outbox;
  /** Hears of what happens to batches. */
  readonly tell: Tell;
}

/** Creates the delivery of a page. */
export function createDelivery(page: PageEnvironment, options: DeliveryOptions): Delivery {
  const { config, is, queue, outbox, tell } = options;
  const flushes: (() => void)[] = [];

  /** A batch whose consent or account is in force no longer is acknowledged if it gets through, and not sent again. */
  const mayKeep = (batch: Batch, isReleased?: boolean): boolean =>
    batch.account === config().account && (batch.isAggregate || (is("granted") && !isReleased));
  /** Lets go of a batch. What is on the device of it stays there, or goes too. */
  const letGo = (batch: Batch, reason: DropReason, device: "stays" | "goes"): void => {
    if (device === "goes") outbox.remove(batch);
    tell({ type: "dropped", reason, amount: batch.events.length - outbox.saved(batch), batch });
  };
  /** Queues a batch again, as far as it may be sent. */
  const requeue = (batch: Batch, isReleased?: boolean): void =>
    mayKeep(batch, isReleased) ? queue.add(batch) : letGo(batch, "consent", "stays");
  const all = (): readonly Batch[] => [...inFlight.requests().map(({ batch }) => batch), ...queue.batches()];
  const abortAll = (): readonly Batch[] => [...inFlight.abort("all").map(({ batch }) => batch), ...queue.empty()];
  const save = (): void => {
    if (!is("granted") || !config().account) return; // a closed client hears of no denial
    const unreleased = inFlight.requests().filter(({ isReleased }) => !isReleased);
    outbox.save([...unreleased.map(({ batch }) => batch), ...queue.batches()].filter((batch) => mayKeep(batch)));
    if (all()[0]) saver.arm(limits.LEASE_MS / 2);
  };
  const split = ({ account, events }: Batch): void => {
    const middle = events.length >> 1;
    for (const half of [events.slice(0, middle), events.slice(middle)]) {
      queue.add(createBatch({ id: page.randomId(), account, events: half }));
    }
    save();
  };
  const stop = (batch: Batch, refusal: string): void => {
    for (const each of [batch, ...abortAll()]) letGo(each, "stopped", "stays");
    link.stop();
    stopTimers();
    tell({ type: "warned", message: `stopped until init(): ${refusal}` });
  };
  const take = (request: Request, { answer, refusal }: Ending): void => {
    const { batch } = request;
    const { status, retryAfterMs = 0 } = answer;
    tell({ type: "answered", batch, answer });
    if (!isTransient(status)) link.reopen();
    if (status >= 200 && status < 300) outbox.remove(batch);
    else if (!mayKeep(batch, request.isReleased)) letGo(batch, "consent", "stays");
    else if (isTransient(status)) {
      queue.add(batch);
      save();
      tell({ type: "waiting", delayMs: link.wait(retryAfterMs) });
    } else if (refusal) stop(batch, refusal);
    else if (status !== 413) letGo(batch, "rejected", "goes");
    else if (!batch.events[1]) letGo(batch, "too_large", "goes");
    else {
      outbox.remove(batch);
      split(batch);
    }
  };
  const spread = (): number => page.random() * limits.LOOK_SPREAD_MS;
  const adopt = (): void => {
    if (!is("granted") || link.is("stopped")) return;
    const { batches, nextMs } = outbox.find(config().account, all());
    batches.forEach(queue.add);
    // What is left of a long list goes on at once.
    if (nextMs <= limits.LEASE_MS) looker.arm(nextMs && nextMs + spread());
    delivery.pump();
  };
  const delivery: Delivery = {
    pump() {
      for (const batch of queue.overflow()) letGo(batch, "queue_full", "goes");
      if (link.is("stopped")) { for (const batch of queue.empty()) letGo(batch, "stopped", "stays"); }
      const isFree = !inFlight.requests()[0];
      const next = link.is("open") && isFree && queue.next();
      if (next) inFlight.send(next, false);
      if (all()[0]) saver.arm(limits.SAVE_DELAY_MS);
      if (!inFlight.requests()[0]) flushes.splice(0).forEach((resolve) => resolve());
    },
    flush: () =>
      new Promise((resolve) => {
        const cancel = page.setTimer(resolve, limits.TIMEOUT_MS);
        flushes.push(() => {
          cancel();
          resolve();
        });
        queue.demand();
        delivery.pump();
      }),
    drain() {
      for (const { batch } of inFlight.abort("mortal")) queue.add(batch);
      outbox.save(queue.batches()); // while they're still queued, since the browser may stop us midway
      let room = link.is("stopped") || link.isHeld() ? 0 : limits.KEEPALIVE_BUDGET_BYTES;
      for (const { batch } of inFlight.requests()) room -= batch.bytes;
      for (const batch of queue.empty()) {
        // A fetch() of the page may have denied meanwhile.
        if (!mayKeep(batch)) letGo(batch, "consent", "stays");
        else if (batch.bytes > room || inFlight.requests().length >= limits.MAX_EXIT_REQUESTS) queue.add(batch);
        else {
          room -= batch.bytes;
          inFlight.send(batch, true);
        }
      }
    },
    reopen: () => link.reopen(),
    restart(isOther) {
      const requests = inFlight.abort("all");
      for (const batch of queue.empty()) requeue(batch, isOther);
      for (const { batch, isReleased } of requests) requeue(batch, isOther || isReleased);
    },
    look: () => looker.arm(spread()),
    release() {
      stopTimers();
      for (const request of inFlight.requests()) request.isReleased = true;
      for (const batch of queue.empty()) requeue(batch, true);
    },
    clear() {
      if (!link.is("stopped")) link.reset();
      stopTimers();
      outbox.forget();
      const amount = abortAll().flatMap(({ events }) => events).length;
      tell({ type: "dropped", reason: "consent", amount });
      delivery.pump();
    },
    reset(isSame) {
      if (!isSame || link.is("stopped")) link.reset();
    },
  };
  const inFlight = createInFlight(page, {
    config,
    tell,
    onEnd(request, ending) {
      take(request, ending);
      delivery.pump();
    },
  });
  const link = createLink(page, delivery.pump);
  const saver = createTimer(page, save);
  const looker = createTimer(page, adopt);
  const stopTimers = (): void => [saver, looker].forEach(({ cancel }) => cancel());
  return delivery;
}
