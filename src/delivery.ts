import { type Batch, buildBody, findLeavers, findNext, isComplete, type Target } from "./batch.ts";
import type { CapturedEvent } from "./capture.ts";
import { NO_ANSWER, type PageEnvironment, type TransportAnswer } from "./environment/environment.ts";
import { toIsoTimestamp } from "./environment/time.ts";
import { createTimer } from "./environment/timer.ts";
import type { Flushes } from "./flushes.ts";
import * as limits from "./limits.ts";
import type { Outbox } from "./outbox.ts";
import type { Queue } from "./queue.ts";
import type { Report } from "./report.ts";
import type { ConsentState } from "./types.ts";

/**
 * Sends batches, acknowledges them, and waits. While the page lives one request is under way,
 * without keepalive: browsers deliver those even after an abort, and a withdrawn consent must be able to stop it.
 */
export interface Delivery {
  /** Takes a finished event. */
  emit(event: CapturedEvent, isAggregate: boolean): void;
  /** Takes an event back that was never sent, by its own text. Returns whether it could. */
  withdraw(event: string): boolean;
  /** Sends everything queued, as far as it may be sent now; resolves when that has come to rest. */
  flush(): Promise<void>;
  /** Sends in this task what can leave together with the page. */
  drain(): void;
  /** Drains, since the page is hidden or goes, and again with what its own handlers of that track. */
  hide(isGone: boolean): void;
  /** Adopts what ended pages left, now and from time to time. */
  resume(): void;
  /** Forgets the requests under way, of which the page hears no more. */
  abandon(): void;
  /** Ends suspension, since the visitor is back; the backoff too, since the network is (`isConnected`). */
  show(isConnected: boolean): void;
  /** Leaves what isn't under way, and drops what comes until the next `configure()`. Warns if there is a reason to. */
  close(why?: string): void;
  /** Drops everything, or leaves the full events that aren't under way to the outbox, since consent was withdrawn. */
  forget(isAll: boolean): void;
  /** Directs later events at a target; what is queued goes where it was meant to. */
  configure(target: Target): void;
}

/** What delivery works with. */
export interface DeliveryOptions {
  /** Where messages go. */
  readonly report: Report;
  /** Whether a consent state is in force. */
  readonly is: (state: ConsentState) => boolean;
  /** What is to be sent. */
  readonly queue: Queue;
  /** What outlives the page. */
  readonly outbox: Outbox;
  /** Who waits for it. */
  readonly flushes: Flushes;
}

/** Creates the delivery of a page. It takes and sends nothing until it's configured. */
export function createDelivery(environment: PageEnvironment, options: DeliveryOptions): Delivery {
  const { report, is, queue, queue: { batches }, outbox, flushes } = options;
  let due: Batch | undefined; // to be sent though it isn't complete
  let target: Target | undefined;
  let hiddenMs = 0;
  let leaving: Promise<void> | undefined; // empties the queue once the page's own handlers of hiding have run
  let failures = 0;
  let networkFailures = 0;
  let isUp = false; // the last answer was a 2xx
  const mayKeep = ({ isAggregate }: Batch): boolean => isAggregate || is("granted");
  const isSuspended = (): boolean => networkFailures >= limits.MAX_NETWORK_FAILURES;
  const canSend = (): boolean => !environment.isOffline() && !hold.isArmed();
  const save = (isLeaseAlone?: boolean): void => {
    weed(); // before the lease is renewed, which says that nothing was lost
    if (is("granted")) outbox.save(batches, isLeaseAlone);
  };
  const weed = (): void => queue.weed(environment.now(), is("granted"));
  const complete = (batch: Batch): void => {
    batch.isDirty ||= !batch.id;
    batch.id ??= environment.randomId();
  };
  const send = (batch: Batch, keepalive: boolean): void => {
    const end = (answer?: TransportAnswer, isLate?: boolean): void => {
      if (batch.cancel !== end) return;
      queue.carry(batch);
      stopWatching();
      if (!answer?.status) abort();
      // At the page's exit that may be the keepalive quota, which other scripts share; if the page lives on, once more.
      if (answer?.status === NO_ANSWER && keepalive && !isLate && target && canSend() && mayKeep(batch)) {
        weed(); // the device may have slept
        send(batch, false);
        pump(); // that batch may be gone
      } else if (answer) answered(batch, answer);
    };
    if (batch.cancel || !batches.includes(batch)) return; // saving may warn, on a console that calls us
    complete(batch);
    queue.carry(batch, end);
    batch.keepalive = keepalive;
    const { target: { endpoint: url, apiKey }, version } = batch;
    const abort = environment.send({
      url,
      headers: { "Content-Type": "application/json", "X-API-Key": apiKey, "X-Vendor-SDK-Version": version },
      body: buildBody(batch, toIsoTimestamp(environment.now())),
      keepalive,
      priority: keepalive ? "auto" : "low",
    }, end);
    // Own watchdog: after a restore from the back/forward cache some requests never end.
    const stopWatching = environment.setTimer(() => end({ status: NO_ANSWER }, true), limits.TIMEOUT_MS);
  };
  const answered = (batch: Batch, { status, retryAfterMs }: TransportAnswer): void => {
    const answers = (statuses: RegExp): boolean => statuses.test(`${status}`);
    // What was meant for another account may fail for good, and must not hold up the rest.
    const isForeign = batch.target.account !== target?.account;
    const isRetried = answers(/^(0|408|42[59]|5(?!0[15]))/);
    if (!isRetried) recover();
    if (answers(/^2/)) {
      queue.remove(batch);
      isUp = true;
    } else if (!target || (!isForeign && answers(/-1|40[13]/))) {
      delivery.close(target && (status < 0 ? "invalid apiKey, endpoint or fetch()" : `answer ${status}`));
    } else if (isRetried) {
      if (!isForeign) networkFailures = status ? 0 : networkFailures + 1;
      backoff.arm(environment.random() * Math.min(limits.MAX_BACKOFF_MS, limits.MIN_BACKOFF_MS * 2 ** failures++));
      if (retryAfterMs !== undefined) hold.restart(Math.min(retryAfterMs, limits.MAX_RETRY_AFTER_MS));
      if (isUp && (isForeign || answers(/^5(?!03)/))) {
        batch.errors++;
        batch.isDirty = true;
      }
      if (!mayKeep(batch)) queue.leave(batch, "consent");
      else if (batch.errors >= limits.MAX_SERVER_ERRORS) queue.remove(batch, "server_error");
      isUp = false;
    } else if (status === 413 && !mayKeep(batch)) {
      queue.leave(batch, "consent");
    } else if (status === 413 && batch.events[1]) {
      for (const half of [queue.halve(batch), batch]) half.id = environment.randomId();
    } else queue.remove(batch, status === 413 ? "too_large" : "rejected");
    if (!answers(/^2/)) save();
    report.debug(`answer ${status}`); // to a console that may call us
    pump();
  };
  const pump = (): void => {
    flushes.settle();
    if (batches.some(({ cancel }) => cancel)) return;
    weed();
    const batch = canSend() && !backoff.isArmed() && !isSuspended() && findNext(batches, { target, due, failures });
    if (!batch) return flushes.settle(true);
    complete(batch);
    if (is("granted")) outbox.update(batch);
    send(batch, false);
  };
  const flushDue = (): void => {
    due = batches.at(-1);
    pump();
  };
  const timer = createTimer(environment, flushDue);
  const starter = createTimer(environment, pump); // no handler of the page is to wait for a request to start
  const saver = createTimer(environment, save);
  const keeper = createTimer(environment, () => {
    save();
    keeper.arm(limits.OUTBOX_CHECK_MS);
    environment.exclusively(() => {
      if (!target || !is("granted")) return;
      const left = outbox.adopt(target, batches); // may warn, on a console that denies consent
      if (is("granted") && queue.adopt(left, target)) save();
      pump();
    });
  });
  const backoff = createTimer(environment, pump);
  const hold = createTimer(environment, pump);
  const stopTimers = (isAll: boolean): void =>
    [saver, keeper, ...isAll ? [timer, starter, backoff, hold] : []].forEach(({ cancel }) => cancel());
  const recover = (): void => {
    failures = networkFailures = 0;
    backoff.cancel();
  };
  const delivery: Delivery = {
    emit(event, isAggregate) {
      if (!target) return report.drop("stopped", 1);
      const timeMs = environment.now();
      const batch = queue.append(event, { target, isAggregate, timeMs });
      // A pageview may have awaited its title for that long already; its time may be of a clock that was set back since.
      const lagMs = Math.max(Math.min(event.timeMs - timeMs, 0), -limits.SAVE_DELAY_MS);
      timer.arm(Math.max(target.flushInterval + lagMs, 0));
      if (!isAggregate) saver.arm(limits.SAVE_DELAY_MS + lagMs);
      if (isComplete(batch) || !batch.events[1]) queue.isCrowded() ? pump() : starter.arm(0);
      // The page's own handlers of hiding run after ours, and what they track must leave too.
      if (Math.abs(timeMs - hiddenMs) < limits.EXIT_MS) leaving ??= Promise.resolve().then(delivery.drain);
    },
    withdraw(event) {
      const isIt = (text: string): boolean => text.startsWith(event);
      const batch = batches.find(({ id, events }) => !id && events.some(isIt));
      if (batch) queue.take(batch, batch.events.findIndex(isIt), 1);
      return !!batch;
    },
    flush() {
      const flushed = flushes.wait();
      flushDue();
      return flushed;
    },
    resume: () => keeper.restart(limits.SAVE_DELAY_MS),
    hide(isGone) {
      hiddenMs = environment.now();
      if (isGone) outbox.setGone(true);
      delivery.drain();
    },
    drain() {
      leaving = undefined;
      // A request without keepalive dies with the page, so what it carries leaves once more.
      for (const { cancel, keepalive } of batches) if (!keepalive) cancel?.();
      weed(); // what is gone takes no room from what can leave
      const leavers = canSend() ? findLeavers(batches) : [];
      leavers.forEach(complete);
      save(); // first, since a browser in a hurry may end the page in the middle of this
      for (const batch of leavers) send(batch, true);
      pump(); // the page may only be hidden, with a batch too large to leave
    },
    abandon() {
      for (const batch of [...batches]) {
        batch.cancel?.();
        if (!mayKeep(batch)) queue.leave(batch, "consent");
      }
    },
    show(isConnected) {
      if (hiddenMs) outbox.setGone();
      hiddenMs = 0;
      save(true); // before the page's own handlers, which may empty storage; the rest takes longer, and can wait
      if (is("granted")) delivery.resume();
      if (isConnected || isSuspended()) recover();
      starter.arm(0);
    },
    close(why) {
      target = undefined;
      stopTimers(true);
      for (const batch of batches.filter(({ cancel }) => !cancel)) queue.leave(batch, "stopped");
      if (why) report.warn(`stopped until the next init(): ${why}`); // last, since a page may react to it
    },
    forget(isAll) {
      outbox.setGone(); // nobody renews the lease from now on
      stopTimers(isAll);
      for (const batch of [...batches]) {
        if (isAll) queue.remove(batch, "consent");
        else if (!batch.isAggregate && !batch.cancel) queue.leave(batch, "consent");
      }
      pump();
    },
    configure(next) {
      if (next.account !== target?.account) recover();
      if (next.flushInterval !== target?.flushInterval) timer.cancel();
      target = next;
      if (batches.length) timer.arm(next.flushInterval);
    },
  };
  return delivery;
}
