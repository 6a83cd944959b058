import { type Batch, buildBody, type Target } from "./batch.ts";
import { NO_ANSWER, type PageEnvironment, type TransportAnswer, UNSENDABLE } from "./environment/environment.ts";
import { toIsoTimestamp } from "./environment/time.ts";
import { createTimer } from "./environment/timer.ts";
import type { Queue } from "./queue.ts";
import type { DropReason, Report } from "./report.ts";
import type { Retry } from "./retry.ts";
import { SDK_VERSION } from "./version.ts";

/** UTF-8 bytes of bodies in flight with keepalive, below the 64 KiB that a document's scripts share (Fetch standard). */
export const KEEPALIVE_BUDGET_BYTES = 61_440;

/** Most requests in flight while the page goes away (CONTRACT 24). */
export const MAX_EXIT_REQUESTS = 8;

/** An answer that takes longer is no answer (CONTRACT 23), and a flush takes no longer (CONTRACT 1). */
export const TIMEOUT_MS = 30_000;

/** A batch with so many 5xx answers lets the others go first. */
export const STEP_ASIDE_AFTER = 5;

/** A batch with so many 5xx answers is dropped once another one gets through (CONTRACT 23). */
export const MAX_SERVER_ERRORS = 10;

/** A batch older than 7 days isn't sent again (CONTRACT 23). */
export const MAX_AGE_MS = 604_800_000;

/** How long after the page went what its own handlers track still leaves at once. */
export const EXIT_MS = 1000;

/**
 * Sends what is queued, acknowledges it, and waits. While the page lives one request is under way, without keepalive:
 * browsers deliver those even after an abort, and a withdrawn consent must be able to stop it.
 */
export interface Delivery {
  /** Takes a finished event. */
  add(event: string, isAggregate: boolean): void;
  /** Sends what may be sent now. */
  pump(): void;
  /** Sends everything queued, as far as it may be sent now; resolves when that has come to rest. */
  flush(): Promise<void>;
  /** Sends in this task what can leave together with the page. */
  drain(): void;
  /** Forgets the requests under way, not what they carry: the page hears of none of them any more. */
  abandon(): void;
  /** Ends the backoff, or only suspension, and sends what may be sent now. */
  wake(isSuspensionOnly?: boolean): void;
  /** Drops what isn't under way, and sends nothing until the next `configure()`. Warns if there is a reason to. */
  stop(why?: string): void;
  /** Forgets what consent doesn't cover any more: everything, or the full events that aren't under way. */
  forget(isAll: boolean): void;
  /** Directs later events at a target; what is queued goes where it was meant to. */
  configure(target: Target): void;
}

/** What delivery works with. */
export interface DeliveryOptions {
  /** What waits. */
  readonly queue: Queue;
  /** When to send again. */
  readonly retry: Retry;
  /** Where messages go. */
  readonly report: Report;
  /** Whether consent allows full events to be kept for another attempt. */
  readonly mayKeep: () => boolean;
}

/** Creates the delivery of a page. It sends nothing until it's configured. */
export function createDelivery(environment: PageEnvironment, options: DeliveryOptions): Delivery {
  const { queue, retry, report, mayKeep } = options;
  const { batches } = queue;
  const flushed: (() => void)[] = [];
  let target: Target | undefined;
  let isStopped = false;
  let isDue = false;
  let keepaliveBytes = 0;
  let drainedMs = -Infinity;

  const canSend = (isExit?: boolean): boolean => !isStopped && !environment.isOffline() && retry.canSend(isExit);
  const fits = ({ bytes }: Batch): boolean => keepaliveBytes + bytes <= KEEPALIVE_BUDGET_BYTES;
  const underWay = (): Batch[] => batches.filter(({ cancel }) => cancel);
  const drop = (batch: Batch, reason: DropReason): void => {
    report.drop(reason, batch.events.length);
    queue.remove(batch);
  };
  const send = (batch: Batch, keepalive: boolean): void => {
    const { target: { endpoint, apiKey }, bytes } = batch;
    const take = (answer: TransportAnswer): void => {
      if (batch.cancel !== cancel) return;
      cancel();
      answered(batch, answer);
    };
    const cancel = batch.cancel = (): void => {
      batch.cancel = undefined;
      if (keepalive) keepaliveBytes -= bytes;
      stopWatching();
      abort();
    };
    if (keepalive) keepaliveBytes += bytes;
    batch.id ??= environment.randomId();
    const abort = environment.send({
      url: endpoint,
      headers: { "Content-Type": "application/json", "X-API-Key": apiKey, "X-Vendor-SDK-Version": SDK_VERSION },
      body: buildBody(batch, toIsoTimestamp(environment.now())),
      keepalive,
      priority: keepalive ? "auto" : "low",
    }, take);
    // Own watchdog: after a restore from the back/forward cache some requests never end.
    const stopWatching = environment.setTimer(() => take({ status: NO_ANSWER }), TIMEOUT_MS);
  };
  const answered = (batch: Batch, answer: TransportAnswer): void => {
    const { status } = answer;
    const { events } = batch;
    report.debug(`answer ${status}`);
    if (status >= 200 && status < 300) {
      retry.wake();
      // After a 413 it was only part of the batch, and the rest is a batch of its own.
      queue.remove(batch, 0, batch.size);
      batch.id = undefined;
      for (const other of queue.idle()) if (other.errors >= MAX_SERVER_ERRORS) drop(other, "server_error");
    } else if (isStopped) delivery.stop();
    else if (batch.target === target && [401, 403, UNSENDABLE].includes(status)) delivery.stop(`answer ${status}`);
    else if (retry.failed(answer)) {
      if (!batch.isAggregate && !mayKeep()) drop(batch, "consent");
      else if (environment.now() - batch.timeMs > MAX_AGE_MS) drop(batch, "too_old");
      else if (status >= 500 && status !== 503 && ++batch.errors >= STEP_ASIDE_AFTER) queue.postpone(batch);
    } else if (status !== 413) drop(batch, "rejected");
    else {
      batch.id = undefined;
      batch.size = Math.min(batch.size, events.length) >> 1;
      if (!batch.size) {
        report.drop("too_large", batch.size = 1);
        queue.remove(batch, 0, 1);
      }
    }
    delivery.pump();
  };
  const delivery: Delivery = {
    add(event, isAggregate) {
      if (!target) return;
      flushTimer.arm(target.flushInterval);
      if (queue.add(event, { isAggregate, target, timeMs: environment.now() })) delivery.pump();
      // The page's own handlers of hiding run after ours, and what they track must leave too.
      if (environment.now() - drainedMs < EXIT_MS) Promise.resolve().then(delivery.drain);
    },
    pump() {
      if (underWay().length) return;
      if (canSend()) {
        if (isDue && !queue.idle().length) {
          isDue = false;
          queue.seal();
        }
        const [batch] = queue.idle();
        if (batch) return send(batch, false);
      }
      for (const resolve of flushed.splice(0)) resolve();
    },
    flush() {
      return new Promise((resolve) => {
        const cancel = environment.setTimer(resolve, TIMEOUT_MS);
        flushed.push(() => {
          cancel();
          resolve();
        });
        flushDue();
      });
    },
    drain() {
      drainedMs = environment.now();
      queue.seal();
      // A request without keepalive dies with the page, so what it carries leaves once more.
      if (!keepaliveBytes) delivery.abandon();
      for (const batch of queue.idle()) {
        if (canSend(true) && fits(batch) && underWay().length < MAX_EXIT_REQUESTS) send(batch, true);
      }
    },
    abandon() {
      for (const { cancel } of underWay()) cancel?.();
    },
    wake(isSuspensionOnly) {
      retry.wake(isSuspensionOnly);
      delivery.pump();
    },
    stop(why) {
      if (why) report.warn(`nothing is sent until the next init(): ${why}`);
      isStopped = true;
      cancelTimers();
      queue.seal();
      for (const batch of queue.idle()) drop(batch, "stopped");
    },
    forget(isAll) {
      for (const batch of [...batches]) {
        if (isAll || !(batch.isAggregate || batch.cancel)) drop(batch, "consent");
      }
      if (isAll) cancelTimers();
      delivery.pump();
    },
    configure(next) {
      target = next;
      isStopped = false;
      queue.seal();
    },
  };
  const flushDue = (): void => {
    isDue = true;
    delivery.pump();
  };
  const flushTimer = createTimer(environment, flushDue);
  const cancelTimers = (): void => {
    flushTimer.cancel();
    retry.cancel();
  };
  return delivery;
}
