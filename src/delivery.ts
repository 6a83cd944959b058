import { type Batch, buildBody, type Target } from "./batch.ts";
import { NO_ANSWER, type PageEnvironment, type TransportAnswer } from "./environment/environment.ts";
import { toIsoTimestamp } from "./environment/time.ts";
import { createTimer } from "./environment/timer.ts";
import * as limits from "./limits.ts";
import type { DropReason, Report } from "./report.ts";
import type { ConsentState } from "./types.ts";
import { utf8Length } from "./utf8.ts";
import { SDK_VERSION } from "./version.ts";

/**
 * Queues events in batches, sends them, acknowledges them, and waits. While the page lives one request is under way,
 * without keepalive: browsers deliver those even after an abort, and a withdrawn consent must be able to stop it.
 */
export interface Delivery {
  /** Takes a finished event. */
  emit(event: string, isAggregate: boolean): void;
  /** Takes an event back that was never sent. Returns whether it could. */
  withdraw(event: string): boolean;
  /** Sends everything queued, as far as it may be sent now; resolves when that has come to rest. */
  flush(): Promise<void>;
  /** Sends in this task what can leave together with the page. */
  drain(): void;
  /** Drains, since the page goes or is hidden, and again with what its own handlers of that track. */
  hide(): void;
  /** Forgets the requests under way, of which the page hears no more. */
  abandon(): void;
  /** Ends suspension, since the visitor is back; the backoff too, since the network is (`isConnected`). */
  show(isConnected: boolean): void;
  /** Drops what isn't under way, and what comes until the next `configure()`. Warns if there is a reason to. */
  close(why?: string): void;
  /** Drops what consent doesn't cover any more: everything, or the full events that aren't under way. */
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
}

/** Creates the delivery of a page. It takes and sends nothing until it's configured. */
export function createDelivery(environment: PageEnvironment, { report, is }: DeliveryOptions): Delivery {
  const flushed: (() => void)[] = [];
  /** What isn't acknowledged or dropped yet, oldest first. Only the last one gets more events. */
  const batches: Batch[] = [];
  /** What counts against the bounds: every event but those that a request carries, and all bytes. */
  const held = { events: 0, bytes: 0, requests: 0 };
  /** The batch that is to be sent though it isn't full. */
  let due: Batch | undefined;
  let target: Target | undefined;
  let hiddenMs = -Infinity;
  let failures = 0;
  let networkFailures = 0;

  const idle = (): Batch[] => batches.filter(({ cancel }) => !cancel);
  const isFull = ({ id, events, target, bytes }: Batch): boolean =>
    !!id || events.length >= target.maxEvents || bytes >= limits.MAX_BATCH_BYTES;
  const mayKeep = ({ isAggregate }: Batch): boolean => isAggregate || is("granted");
  const isSuspended = (): boolean => networkFailures >= limits.MAX_NETWORK_FAILURES;
  const canSend = (): boolean => !environment.isOffline() && !hold.isArmed();
  /** Removes events of a batch, and the batch with its last event. */
  const take = (batch: Batch, start: number, amount: number): void => {
    const bytes = utf8Length(batch.events.splice(start, amount).join()) + 1;
    batch.bytes -= bytes;
    held.bytes -= bytes;
    held.events -= amount;
    if (batch.events.length) return;
    batch.cancel?.();
    batches.splice(batches.indexOf(batch), 1);
  };
  const remove = (batch: Batch, reason?: DropReason, amount: number = batch.events.length): void => {
    if (reason) report.drop(reason, amount);
    take(batch, 0, amount);
  };
  const send = (batch: Batch, keepalive: boolean): void => {
    const amount = batch.events.length;
    const end = (answer?: TransportAnswer): void => {
      if (batch.cancel !== end) return;
      batch.cancel = undefined;
      held.events += amount;
      held.requests--;
      stopWatching();
      abort();
      // At the page's exit that may be the keepalive quota, which other scripts share; if the page lives on, once more.
      if (answer?.status === NO_ANSWER && keepalive && target && canSend() && mayKeep(batch)) send(batch, false);
      else if (answer) answered(batch, answer);
    };
    batch.cancel = end;
    held.events -= amount;
    held.requests++;
    batch.keepalive = keepalive;
    batch.id ??= environment.randomId();
    const { endpoint: url, apiKey } = batch.target;
    const abort = environment.send({
      url,
      headers: { "Content-Type": "application/json", "X-API-Key": apiKey, "X-Vendor-SDK-Version": SDK_VERSION },
      body: buildBody(batch, toIsoTimestamp(environment.now())),
      keepalive,
      priority: keepalive ? "auto" : "low",
    }, end);
    // Own watchdog: after a restore from the back/forward cache some requests never end.
    const stopWatching = environment.setTimer(() => end({ status: NO_ANSWER }), limits.TIMEOUT_MS);
  };
  const answered = (batch: Batch, { status, retryAfterMs }: TransportAnswer): void => {
    const answers = (statuses: RegExp): boolean => statuses.test(`${status}`);
    report.debug(`answer ${status}`);
    if (answers(/^2/)) {
      remove(batch);
      for (const other of idle()) if (other.errors >= limits.MAX_SERVER_ERRORS) remove(other, "server_error");
      recover();
    } else if (!target || (batch.target === target && answers(/^(-1|40[13])/))) {
      delivery.close(target && `answer ${status}`);
    } else if (answers(/^(0|408|42[59]|5(?!0[15]))/)) {
      // What an earlier configuration left may fail for good, and must not hold up the rest.
      const isForeign = batch.target !== target;
      if (!isForeign) networkFailures = status ? 0 : networkFailures + 1;
      backoff.arm(environment.random() * Math.min(limits.MAX_BACKOFF_MS, limits.MIN_BACKOFF_MS * 2 ** failures++));
      if (retryAfterMs !== undefined) {
        hold.cancel();
        hold.arm(Math.min(retryAfterMs, limits.MAX_RETRY_AFTER_MS));
      }
      if (!mayKeep(batch)) remove(batch, "consent");
      else if (environment.now() - batch.timeMs > limits.MAX_AGE_MS) remove(batch, "too_old");
      else if (isForeign || answers(/^5(?!03)/)) {
        if (++batch.errors >= limits.STEP_ASIDE_AFTER) batches.push(...batches.splice(batches.indexOf(batch), 1));
      }
    } else if (status === 413 && batch.events.length > 1) {
      const half = { ...batch, id: environment.randomId(), events: batch.events.splice(0, batch.events.length >> 1) };
      batches.splice(batches.indexOf(batch), 0, half);
      batch.id = environment.randomId();
    } else remove(batch, status === 413 ? "too_large" : "rejected");
    pump();
  };
  const pump = (): void => {
    if (held.requests) return;
    const batch = batches.find((batch, i) => batches[i + 1] || batch === due || isFull(batch));
    if (batch && canSend() && !backoff.isArmed() && !isSuspended()) return send(batch, false);
    for (const call of flushed.splice(0)) call();
  };
  const flushDue = (): void => {
    due = batches.at(-1);
    pump();
  };
  const timer = createTimer(environment, flushDue);
  const backoff = createTimer(environment, pump);
  const hold = createTimer(environment, pump);
  const cancelTimers = (): void => [timer, backoff, hold].forEach(({ cancel }) => cancel());
  const recover = (): void => {
    failures = networkFailures = 0;
    backoff.cancel();
    pump();
  };
  const delivery: Delivery = {
    emit(event, isAggregate) {
      if (!target) return report.drop("stopped", 1);
      const timeMs = environment.now();
      const size = utf8Length(event) + 1;
      let batch = batches.at(-1);
      if (
        !batch || isFull(batch) || batch.target !== target || batch.isAggregate !== isAggregate ||
        batch.bytes + size > limits.MAX_BATCH_BYTES
      ) {
        batch = { target, isAggregate, timeMs, events: [event], bytes: 0, errors: 0 };
        // The body repeats session, identity and context of its first event.
        batch.bytes = limits.BATCH_ID_BYTES + utf8Length(buildBody(batch, toIsoTimestamp(timeMs)));
        batches.push(batch);
      } else {
        batch.events.push(event);
        batch.bytes += size;
      }
      held.events++;
      held.bytes += size;
      while (held.events > limits.MAX_QUEUE_EVENTS || held.bytes > limits.MAX_QUEUE_BYTES) {
        const oldest = batches.find(({ cancel }) => !cancel);
        if (!oldest) break;
        // What an attempt may have delivered already goes as a whole: a batch with an ID doesn't change.
        remove(oldest, "queue_full", oldest.id ? oldest.events.length : 1);
      }
      timer.arm(target.flushInterval);
      if (isFull(batch) || batch.events.length < 2) pump();
      // The page's own handlers of hiding run after ours, and what they track must leave too.
      if (Math.abs(timeMs - hiddenMs) < limits.EXIT_MS) Promise.resolve().then(delivery.drain);
    },
    withdraw(event) {
      const batch = batches.find(({ id, events }) => !id && events.includes(event));
      if (batch) take(batch, batch.events.indexOf(event), 1);
      return !!batch;
    },
    flush: () =>
      new Promise((resolve) => {
        flushed.push(resolve, environment.setTimer(resolve, limits.TIMEOUT_MS));
        flushDue();
      }),
    hide() {
      hiddenMs = environment.now();
      delivery.drain();
    },
    drain() {
      // A request without keepalive dies with the page, so what it carries leaves once more.
      for (const { cancel, keepalive } of batches) if (!keepalive) cancel?.();
      let slots = limits.MAX_EXIT_REQUESTS - held.requests;
      let room = batches.reduce(
        (left, { cancel, bytes }) => cancel ? left - bytes : left,
        limits.KEEPALIVE_BUDGET_BYTES,
      );
      for (const batch of idle()) {
        if (!canSend() || batch.bytes > room || slots-- < 1) continue;
        room -= batch.bytes;
        send(batch, true);
      }
      pump(); // the page may only be hidden, with a batch too large to leave
    },
    abandon() {
      for (const batch of [...batches]) {
        batch.cancel?.();
        if (!mayKeep(batch)) remove(batch, "consent");
      }
    },
    show(isConnected) {
      hiddenMs = -Infinity;
      if (isConnected || isSuspended()) recover();
      else pump();
    },
    close(why) {
      if (why) report.warn(`stopped until the next init(): ${why}`);
      target = undefined;
      cancelTimers();
      for (const batch of idle()) remove(batch, "stopped");
    },
    forget(isAll) {
      for (const batch of [...batches]) {
        if (isAll || !(batch.isAggregate || batch.cancel)) remove(batch, "consent");
      }
      if (isAll) cancelTimers();
      pump();
    },
    configure(next) {
      target = next;
      timer.cancel();
      if (batches.length) timer.arm(next.flushInterval);
    },
  };
  return delivery;
}
