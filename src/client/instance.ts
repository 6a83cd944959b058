import { attempt, describeError } from "./base/attempt.ts";
import { MAX_BATCH_SIZE, REDIRECT_MS, TITLE_DELAY_MS } from "./base/limits.ts";
import type { ConsentState, InitConfig } from "./base/types.ts";
import { createCapture } from "./capture/capture.ts";
import { createFinisher } from "./capture/finisher.ts";
import { createPageviews } from "./capture/pageviews.ts";
import { createVisitor, STORAGE_PREFIX } from "./capture/visitor.ts";
import { resolveConfig, type ResolvedConfig } from "./config.ts";
import { createConsent } from "./consent.ts";
import { createDelivery } from "./delivery/delivery.ts";
import { createOutbox } from "./delivery/outbox.ts";
import { createQueue } from "./delivery/queue.ts";
import type { Hooks, Tell } from "./hooks.ts";
import { INSIDE, type Inside } from "./inside.ts";
import { createMessages } from "./messages.ts";
import { createOperations, type Operations, type Readiness } from "./operations.ts";
import { createPageLife } from "./page_life.ts";
import { detectEnvironment, hasOtherCopy } from "./platform/detect.ts";
import type { Environment, PageEnvironment } from "./platform/environment.ts";
import { createTimer } from "./platform/timer.ts";

/** A client that does nothing but warn until it's started. */
export interface Instance extends Operations {
  /** What addons get at. */
  readonly [INSIDE]: Inside;
  /** Starts it, see `Vendor.init()`. */
  init(config: InitConfig): void;
  /** Ends the client: what is queued leaves as when the page goes, and every listener and timer goes. */
  close(): void;
}

/** Before `init()` and after `close()` no account is in force. */
const NO_CONFIG = {} as ResolvedConfig;

/**
 * Creates a client that waits for `init()`: its parts, and who hears whom.
 *
 * @param hooks What addons see and hear of it: those of the client that it takes the place of.
 */
// What makes the client's parts is a function in parentheses: V8 compiles such a function together with its file, and
// any other when it's called first, which takes longer than what it does. The formatter keeps them in front of a word.
export const createInstance: (environment?: Environment, hooks?: Hooks) => Instance =
  ((environment = detectEnvironment(), hooks = { beforeSend: [], on: [] }) => {
    // A place without a page keeps the gate shut, and nothing behind it is asked for anything.
    const page = environment as PageEnvironment;
    const messages = createMessages(environment);
    let config = NO_CONFIG;
    let readiness: Readiness = "closed";

    const tell: Tell = (change) => {
      messages.hear(change);
      for (const listener of hooks.on) attempt(() => listener(change));
    };
    const warn = (message: string): void => tell({ type: "warned", message });
    const inForce = (): ResolvedConfig => config;
    const is = (state: ConsentState): boolean => consent.is(state);
    const wake = (): void => soon.arm(0);
    const arm = (): void => {
      wake();
      interval.arm(config.flushInterval);
    };
    const visitor = createVisitor(page);
    const outbox = createOutbox(page);
    const queue = createQueue(page, inForce);
    const delivery = createDelivery(page, { config: inForce, is, queue, outbox, tell });
    const capture = createCapture(page, {
      visitor,
      tell,
      onDraft(isOpen) {
        life.onDraft();
        arm();
        if (isOpen) settler.restart(is("granted") ? TITLE_DELAY_MS : REDIRECT_MS);
      },
    });
    const pageviews = createPageviews(page, { is, visitor, capture, queue });
    const consent = createConsent({
      ...pageviews, // record() and upgrade()
      tell: (state) => tell({ type: "consent", state }),
      discard(next) {
        finisher.discard();
        pageviews.forget();
        if (next === "denied") visitor.identify(null);
      },
      erase() {
        finisher.discard();
        delivery.clear();
        visitor.identify(null);
        visitor.forget();
        stopTimers();
        for (const key of page.storage.keys(STORAGE_PREFIX)) page.storage.remove(key);
        pageviews.restrict(); // last: it asks the page, and what fails there must not keep anything on the device
      },
      suspend() {
        finisher.finish();
        delivery.drain();
        delivery.release();
        finisher.discard(); // what a rule of the application recorded meanwhile
        visitor.forget();
        pageviews.restrict();
      },
      resume() {
        wake();
        delivery.look();
      },
    });
    const parts = { consent, visitor, capture, pageviews, queue, outbox, delivery, hooks, tell, wake };
    const finisher = createFinisher(parts);
    const all = { ...parts, finisher, readiness: () => readiness };
    const life = createPageLife(page, all);
    const operations = createOperations(all);
    const soon = createTimer(page, () => {
      life.attend();
      finisher.finish("ready");
      delivery.pump();
    });
    const settler = createTimer(page, () => {
      finisher.finish();
      arm();
    });
    const interval = createTimer(page, () => {
      finisher.finish("due");
      queue.demand();
      delivery.pump();
    });
    const stopTimers = (): void => [soon, settler, interval].forEach(({ cancel }) => cancel());
    const stop = (): void => {
      delivery.release();
      delivery.reset(false);
      stopTimers();
      life.stop();
    };
    /** Does a part of `init()`. Where a page has replaced what it takes, the SDK does nothing from then on. */
    const guard = (task: () => void): void => {
      try {
        task();
      } catch (error) {
        readiness = "failed";
        attempt(stop);
        warn(`init() failed: ${describeError(error)}`);
      }
    };
    /** Ends what the configuration in force does, and puts the next one in its place. */
    const replace = (next: ResolvedConfig): void => {
      if (hasOtherCopy(next.account)) warn("another copy collects too");
      const isSame = config.account === next.account;
      const isKept = config.account && next.consent !== "denied"; // the first init() has nothing to keep
      const isMoving = isKept && !isSame;
      if (isKept) finisher.finish();
      if (isMoving) delivery.drain();
      if (config.flushInterval !== next.flushInterval) interval.cancel();
      config = next;
      if (isMoving) {
        finisher.discard();
        delivery.release();
      }
      delivery.reset(isSame);
      visitor.identify(null);
      consent.want(next.consent);
      if (!isSame) pageviews.forget();
      wake(); // prerendered: a denial on the page in front is heard
      page.whenActive(() =>
        guard(() => {
          if (config !== next) return; // a prerendered page may have come to another configuration, or closed
          const { trackPageviews } = next;
          pageviews.configure(trackPageviews, isSame);
          consent.start(isSame); // first: a denial holds also where the page can't be heard
          life.listen(trackPageviews && pageviews.navigated);
          if (capture.size() + queue.size()) arm();
        })
      );
    };
    return {
      ...operations,
      init(input) {
        const next = resolveConfig(input);
        readiness = environment.canCollect ? "ready" : "headless";
        guard(() => {
          messages.configure(next);
          if (next.maxBatchSize > MAX_BATCH_SIZE) warn(`maxBatchSize is capped to ${next.maxEvents}`);
          if (environment.canCollect) replace(next);
          tell({ type: "called", method: "init", argument: 0, problem: "", isHeld: false });
        });
      },
      [INSIDE]: { environment, hooks, finish: () => finisher.finish(), batches: queue.batches },
      close() {
        if (readiness === "ready") life.hide();
        readiness = "closed";
        config = NO_CONFIG;
        stop();
      },
    };
  }) satisfies typeof createInstance;
