import { type Batch, buildBody, createBatch } from "./batch.ts";
import type { ResolvedConfig } from "../config.ts";
import type { Consent } from "../consent.ts";
import {
  type Cancel,
  isTransient,
  NO_ANSWER,
  type PageEnvironment,
  type TransportAnswer,
  UNSENDABLE,
} from "../platform/environment.ts";
import type { DropReason, Tell } from "../hooks.ts";
import { createTimer } from "../platform/timer.ts";
import * as limits from "../base/limits.ts";
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

/** A request under way. */
interface Request {
  /** What it carries. */
  readonly batch: Batch;
  /** Whether it outlives the page. */
  readonly keepalive: boolean;
  /** Aborts it. */
  readonly cancel: Cancel;
}

/** Creates the delivery of a page. */
export function createDelivery(page: PageEnvironment, options: DeliveryOptions): Delivery {
  const { config, is, queue, outbox, tell } = options;
  let requests: readonly Request[] = [];
  /** `"waiting"` while the backoff or a Retry-After lasts, `"stopped"` until the next `init()`. */
  let link: "open" | "waiting" | "stopped" = "open";
  /** Failures in a row. */
  let failures = 0;
  /** When the Retry-After ends, by `elapsed()`. */
  let heldUntilMs = 0;
  const flushes: Cancel[] = [];
  /** What was under way as full collection ended: what of it fails is found on the device, unless a denial erased it. */
  let released: readonly Batch[] = [];

  const isHeld = (): boolean => page.elapsed() < heldUntilMs;
  /** A batch whose consent or account is in force no longer is acknowledged if it gets through, and not sent again. */
  const mayKeep = (batch: Batch, isFullAllowed = is("granted")): boolean =>
    batch.account === config().account && (batch.isAggregate || (isFullAllowed && !released.includes(batch)));
  /** Gives a batch up; what is saved of it waits on the device. */
  const lose = (batch: Batch, reason: DropReason): void =>
    tell({ type: "dropped", reason, amount: batch.events.length - outbox.saved(batch), batch });
  const drop = (batch: Batch, reason: DropReason): void => {
    outbox.remove(batch);
    lose(batch, reason);
  };
  const keep = (batch: Batch, isFullAllowed?: boolean): void =>
    mayKeep(batch, isFullAllowed) ? queue.add(batch) : lose(batch, "consent");
  const inFlight = (): readonly Batch[] => requests.map(({ batch }) => batch);
  const all = (): readonly Batch[] => [...inFlight(), ...queue.batches()];
  const forget = (request: Request): void => {
    requests = requests.filter((each) => each !== request);
  };
  const abort = (request: Request): void => {
    forget(request);
    request.cancel();
  };
  const takeAll = (): readonly Batch[] => {
    const batches = [...inFlight(), ...queue.empty()];
    requests.forEach(abort);
    return batches;
  };
  const save = (): void => {
    if (!is("granted") || !config().account) return; // a closed client hears of no denial
    outbox.save(all().filter((batch) => mayKeep(batch)));
    if (all()[0]) saver.arm(limits.LEASE_MS / 2);
  };
  const send = (batch: Batch, keepalive: boolean): void => {
    const { endpoint: url, apiKey } = config();
    const end = (answer: TransportAnswer, refusal?: string): void => {
      if (!requests.includes(request)) return;
      forget(request);
      stopWatching();
      answered(batch, answer, refusal);
      delivery.pump();
    };
    const cut = page.send({
      url,
      headers: { "Content-Type": "application/json", "X-API-Key": apiKey, "X-Vendor-SDK-Version": batch.version },
      body: buildBody(batch, page.now()),
      keepalive,
      priority: keepalive ? "auto" : "low",
    }, async (answer) => {
      const { status } = answer;
      if (status === UNSENDABLE) end(answer, "invalid apiKey or endpoint");
      else if (status === 401 || status === 403) end(answer, await readRefusal(answer));
      else end(answer);
    });
    // After a restore from the back/forward cache some requests never end.
    const stopWatching = page.setTimer(() => {
      cut(); // first: the next request leaves at the end of this one
      end({ status: NO_ANSWER });
    }, limits.TIMEOUT_MS);
    const request: Request = {
      batch,
      keepalive,
      cancel() {
        stopWatching();
        cut();
      },
    };
    requests = [...requests, request];
    tell({ type: "sent", batch });
  };
  /** Takes an answer. With a `refusal` nothing can be sent any more, and that's why. */
  const answered = (batch: Batch, answer: TransportAnswer, refusal?: string): void => {
    const { status, retryAfterMs = 0 } = answer;
    tell({ type: "answered", batch, answer });
    if (!isTransient(status)) reopen();
    if (status >= 200 && status < 300) return outbox.remove(batch);
    if (!mayKeep(batch)) return lose(batch, "consent");
    if (isTransient(status)) {
      queue.add(batch);
      save();
      return wait(retryAfterMs);
    }
    if (status === 413) return split(batch);
    if (!refusal) return drop(batch, "rejected");
    for (const each of [batch, ...takeAll()]) lose(each, "stopped");
    delivery.reset(false);
    stopTimers();
    link = "stopped";
    tell({ type: "warned", message: `stopped until init(): ${refusal}` });
  };
  const wait = (retryAfterMs: number): void => {
    if (link === "open") failures++; // several requests that left with the page are one attempt
    const backoffMs = Math.min(limits.MIN_BACKOFF_MS * 2 ** (failures - 1), limits.MAX_WAIT_MS);
    const nowMs = page.elapsed();
    heldUntilMs = Math.max(heldUntilMs, nowMs + Math.min(retryAfterMs, limits.MAX_WAIT_MS));
    const delayMs = Math.max(backoffMs * (1 + page.random()) / 2, heldUntilMs - nowMs);
    link = "waiting";
    waker.restart(delayMs);
    tell({ type: "waiting", delayMs });
  };
  const reopen = (): void => {
    failures = 0;
    if (link !== "waiting" || isHeld()) return;
    link = "open";
    waker.cancel();
  };
  const split = (batch: Batch): void => {
    const { account, events } = batch;
    if (!events[1]) return drop(batch, "too_large");
    outbox.remove(batch);
    const middle = events.length >> 1;
    for (const half of [events.slice(0, middle), events.slice(middle)]) {
      queue.add(createBatch({ id: page.randomId(), account, events: half }));
    }
    save();
  };
  const adopt = (): void => {
    if (!is("granted") || link === "stopped") return;
    const { batches, nextMs } = outbox.find(config().account, all());
    batches.forEach(queue.add);
    if (batches[0]) save();
    if (nextMs <= limits.LEASE_MS) looker.arm(nextMs + spread());
    delivery.pump();
  };
  const spread = (): number => page.random() * limits.LOOK_SPREAD_MS;
  const delivery: Delivery = {
    pump() {
      for (const batch of queue.overflow()) drop(batch, "queue_full");
      if (link === "stopped") queue.empty().forEach((batch) => lose(batch, "stopped"));
      if (link === "open" && !requests[0]) {
        const batch = queue.next();
        if (batch) send(batch, false);
      }
      if (all()[0]) saver.arm(limits.SAVE_DELAY_MS);
      if (!requests[0]) flushes.splice(0).forEach((resolve) => resolve());
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
      for (const request of requests) {
        if (request.keepalive) continue;
        abort(request); // it would die with the page
        queue.add(request.batch);
      }
      outbox.save(queue.batches()); // while they're still queued, since the browser may stop us midway
      let room = link === "stopped" || isHeld() ? 0 : limits.KEEPALIVE_BUDGET_BYTES;
      for (const { bytes } of inFlight()) room -= bytes;
      for (const batch of queue.empty()) {
        if (!mayKeep(batch)) lose(batch, "consent"); // a fetch() of the page has denied meanwhile
        else if (batch.bytes > room || requests.length >= limits.MAX_EXIT_REQUESTS) queue.add(batch);
        else {
          room -= batch.bytes;
          send(batch, true);
        }
      }
    },
    reopen,
    restart(isOther) {
      for (const batch of takeAll()) {
        if (isOther) lose(batch, "consent");
        else keep(batch);
      }
    },
    look: () => looker.arm(spread()),
    release() {
      stopTimers();
      released = inFlight();
      for (const batch of queue.empty()) keep(batch, false);
    },
    clear() {
      if (link !== "stopped") delivery.reset(false);
      stopTimers();
      outbox.forget();
      const amount = takeAll().flatMap(({ events }) => events).length;
      tell({ type: "dropped", reason: "consent", amount });
      delivery.pump();
    },
    reset(isSame) {
      if (isSame && link !== "stopped") return;
      link = "open";
      failures = heldUntilMs = 0;
      waker.cancel();
    },
  };
  const waker = createTimer(page, () => {
    link = "open";
    delivery.pump();
  });
  const saver = createTimer(page, save);
  const looker = createTimer(page, adopt);
  const stopTimers = (): void => [saver, looker].forEach(({ cancel }) => cancel());
  return delivery;
}

/**
 * Returns why the ingest takes nothing more, in its own words. Empty where the answer isn't the ingest's: a firewall refuses
 * a single request by what it contains.
 */
async function readRefusal({ status, text }: TransportAnswer): Promise<string> {
  try {
    const { code, message } = JSON.parse(`${await text}`).error;
    return typeof message === "string" && typeof code !== "number" ? `${status}: ${message}` : ""; // gateways repeat the status there
  } catch {
    return ""; // no JSON, or no error in it
  }
}
