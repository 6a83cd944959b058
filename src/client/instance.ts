import type { Cancel, Environment, PageEnvironment, StorageChange } from "./platform/environment.ts";
import { detectEnvironment, hasOtherCopy } from "./platform/detect.ts";
import { createConsent } from "./consent.ts";
import { createTimer } from "./platform/timer.ts";
import { attempt, describeError, later } from "./base/attempt.ts";
import { createVisitor, STORAGE_PREFIX, VISITOR_KEY } from "./capture/visitor.ts";
import { toJson } from "./json.ts";
import { createOutbox, LEASE_PREFIX } from "./delivery/outbox.ts";
import { createDelivery } from "./delivery/delivery.ts";
import { createPageviews } from "./capture/pageviews.ts";
import { INVALID_CONSENT, isConsentState, MAX_BATCH_SIZE, resolveConfig, type ResolvedConfig } from "./config.ts";
import type { FinishedEvent } from "./base/draft.ts";
import { createQueue } from "./delivery/queue.ts";
import { utf8Length } from "./base/utf8.ts";
import { INSIDE, type Inside } from "./inside.ts";
import * as limits from "./base/limits.ts";
import type { ConsentState, InitConfig } from "./base/types.ts";
import { createMessages } from "./messages.ts";
import type { Hooks, Tell } from "./hooks.ts";
import { createCapture } from "./capture/capture.ts";

// SPEC 4.2
/** The operations of the SDK. None throws or rejects, whatever it is handed; each works unbound. */
export interface Operations {
  // SPEC 2.6
  /**
   * Records an event while consent is granted. Properties are copied at the call.
   *
   * @param name 1-100 characters (Unicode code points).
   * @param properties At most 32 KiB of JSON; an event with more is dropped with a warning.
   */
  step(name: string, properties?: object): void;
  /**
   * Sets who the visitor is, from the next event on. Kept in memory for the page only; while consent is pending the last
   * call is remembered, and applies once it's granted.
   *
   * @param userId 1-1,000 characters (Unicode code points).
   * @param traits Replace earlier traits wholesale; at most 8 KiB of JSON, else they are left out with a warning.
   */
  identify(userId: string, traits?: object): void;
  /** Starts over with a new anonymous visitor and a new session. Events queued keep their identity. */
  reset(): void;
  /** Records a full pageview of the current URL while consent is granted. */
  page(): void;
  /** Changes the consent state. */
  setConsent(state: ConsentState): void;
  /** Returns the consent state; `"pending"` before `init()`, and where there is no page. */
  getConsent(): ConsentState;
  /**
   * Sends now what may be sent. Never rejects.
   *
   * @returns Resolves when nothing more can be sent now: all is acknowledged, dropped or waiting; after 30 s at the latest.
   */
  flush(): Promise<void>;
}

/** A client that does nothing but warn until it's started. */
export interface Instance extends Operations {
  /** What addons get at. */
  readonly [INSIDE]: Inside;
  /** Starts it, see `Vendor.init()`. */
  init(config: InitConfig): void;
  /** Ends the client: what is queued leaves as when the page goes, and every listener and timer goes. */
  close(): void;
}

/**
 * Creates a client that waits for `init()`.
 *
 * @param hooks What addons see and hear of it: those of the client that it takes the place of.
 */
export function createInstance(
  environment: Environment = detectEnvironment(),
  hooks: Hooks = { beforeSend: [], on: [] },
): Instance {
  // A place without a page keeps the gate shut, and nothing behind it is asked for anything.
  const page = environment as PageEnvironment;
  const messages = createMessages(environment);
  let config: ResolvedConfig | undefined;
  /** Whether it can collect: not where the last `init()` failed. */
  let isAble: boolean = environment.canCollect;
  let stopListening: Cancel | undefined;
  let stopListeningToStorage: Cancel | undefined;
  /** Until when an exit lasts, by `elapsed()`: what the page's own handlers track in it leaves at once. */
  let exitEndsMs = 0;
  /** What becomes of drafts right now: another list when it's void. */
  let finishing: FinishedEvent[] = [];

  const tell: Tell = (change) => {
    messages.hear(change);
    for (const listener of hooks.on) attempt(() => listener(change));
  };
  const warn = (message: string, kind = message): void => tell({ type: "warned", message, kind });
  const is = (state: ConsentState): boolean => consent.is(state);
  /** After `close()` no account is in force. */
  const inForce = (): ResolvedConfig => config ?? {} as ResolvedConfig;
  const visitor = createVisitor(page);
  const outbox = createOutbox(page);
  const queue = createQueue(page, inForce);
  const delivery = createDelivery(page, { config: inForce, is, queue, outbox, tell });
  const capture = createCapture(page, {
    visitor,
    tell,
    onDraft(isOpen) {
      if (page.elapsed() < exitEndsMs) later(hide); // behind the page's handler, and before the page may be gone
      wake();
      if (isOpen) settler.restart(is("granted") ? limits.TITLE_DELAY_MS : limits.REDIRECT_MS);
    },
  });
  const pageviews = createPageviews(page, { is, visitor, capture, queue });

  /** Throws away what was captured, unread. */
  const discard = (): void => {
    finishing = [];
    capture.clear();
  };
  /** Goes on: sends what waits, and looks for what other pages left. */
  const resume = (): void => {
    soon.arm(0);
    delivery.look();
  };
  const consent = createConsent({
    ...pageviews, // record() and upgrade()
    tell: (state) => tell({ type: "consent", state }),
    discard,
    erase() {
      discard();
      delivery.clear();
      visitor.identify(null);
      visitor.forget();
      stopTimers();
      for (const key of page.storage.keys(STORAGE_PREFIX)) page.storage.remove(key);
      pageviews.restrict(); // last: it asks the page, and what fails there must not keep anything on the device
    },
    suspend() {
      finish(true);
      delivery.drain();
      delivery.release();
      discard(); // what a rule of the application recorded meanwhile
      visitor.forget();
      pageviews.restrict();
    },
    resume,
  });

  /**
   * Makes events of the drafts. Those behind an open pageview wait, unless events are due and no redirect is awaited, or
   * it `isUrgent`.
   */
  const finish = (isUrgent: boolean, isDue?: boolean): void => {
    const state = consent.state();
    if (!is(state)) return; // the page is prerendered, or this is the first init()
    isDue ||= capture.size() + queue.size() >= inForce().maxEvents;
    if (isUrgent || (isDue && !pageviews.awaitsRedirect())) capture.settle();
    const most = isUrgent ? limits.MAX_QUEUE_EVENTS : limits.FINISH_EVENTS;
    const finished = capture.finish(most);
    if (finished.length >= most) soon.arm(0);
    const events = finishing;
    // Where a rule or a listener of the application calls, the loop is under way, and comes to these in their turn.
    if (events.push(...finished) > finished.length) return;
    const isVoid = (): boolean => finishing !== events;
    /** Queues an event as the rules of the application leave it; one may deny consent, or move to another account. */
    const enqueue = (event: FinishedEvent): FinishedEvent | undefined => {
      let ruled: FinishedEvent | undefined = event;
      try {
        for (const rule of [...hooks.beforeSend]) ruled &&= rule(ruled); // one may take itself out
        if (!ruled || isVoid()) return;
        queue.append(ruled);
        return ruled;
      } catch (error) {
        warn(`event dropped: ${describeError(error)}`);
      }
    };
    for (const event of events) {
      const queued = isVoid() ? undefined : enqueue(event);
      if (queued) tell({ type: "queued", event: queued });
      else {
        event.draft.isRedacted = true;
        tell({ type: "dropped", reason: isVoid() ? "consent" : "redacted", amount: 1, draft: event.draft });
      }
    }
    events.length = 0;
  };
  const hide = (): void => {
    const nowMs = page.elapsed();
    if (is("granted")) {
      outbox.setGone(true); // first, since Firefox may stop the handler midway, or give a page no other event
      visitor.meet(); // a page that sleeps without an identifier could miss a denial
    }
    // What failed a moment ago isn't tried once more by the second event of an exit.
    if (nowMs < exitEndsMs && !capture.size()) return;
    finish(true);
    delivery.drain();
    soon.arm(0);
    exitEndsMs = nowMs + limits.EXIT_MS;
  };
  /** Follows what another page did to storage: a denial, or somebody else who is the visitor now. */
  const follow = ({ key, newValue, oldValue }: StorageChange): void => {
    const isShown = is("granted");
    if (!isShown && !isAwaited()) return;
    if (isShown && key?.startsWith(LEASE_PREFIX)) delivery.look();
    if (key !== null && key !== VISITOR_KEY) return;
    if (key && !newValue) return consent.change("denied");
    if (isShown) {
      // Without a key a storage was cleared. Where that was the site's, it's no denial.
      if (!visitor.isOther(key ? newValue : page.storage.get(VISITOR_KEY))) return;
      visitor.detach();
      finish(true);
    } else if (key && !oldValue) return; // the first visitor on this device
    visitor.identify(null);
    visitor.forget();
    capture.disown();
    soon.arm(0);
  };
  /** Whether full collection waits for a prerendered page to be shown. */
  const isAwaited = (): boolean => !is(consent.state()) && consent.allows("granted");
  const soon = createTimer(page, () => {
    if (is("granted") || isAwaited()) {
      stopListeningToStorage?.(); // anew: a document that is opened anew loses every listener
      stopListeningToStorage = page.listenToStorage(follow);
    }
    if (is("granted")) {
      outbox.setGone(page.elapsed() < exitEndsMs);
      visitor.meet();
    }
    finish(false);
    delivery.pump();
  });
  const settler = createTimer(page, () => {
    finish(true);
    wake();
  });
  const interval = createTimer(page, () => {
    finish(false, true);
    queue.demand();
    delivery.pump();
  });
  const wake = (): void => {
    soon.arm(0);
    interval.arm(inForce().flushInterval);
  };
  const stopTimers = (): void => [soon, settler, interval].forEach(({ cancel }) => cancel());
  /** Puts the configuration in force. */
  const start = ({ trackPageviews }: ResolvedConfig, isSame: boolean): void => {
    stopListening?.();
    pageviews.configure(trackPageviews, isSame);
    consent.start(isSame); // first: a denial holds also where the page can't be heard
    stopListening = page.listen({
      ...trackPageviews && { navigate: pageviews.navigated },
      hide,
      show(isRestored) {
        exitEndsMs = 0;
        if (isRestored) {
          // Before anything else: consent may have been denied elsewhere, or the user signed out.
          const newValue = is("granted") ? page.storage.get(VISITOR_KEY) : null;
          const isOther = visitor.isOther(newValue);
          if (isOther) follow({ key: VISITOR_KEY, newValue });
          delivery.restart(isOther);
          pageviews.load();
        }
        delivery.reopen();
        resume();
      },
    });
    if (capture.size() + queue.size()) wake();
  };
  /** Ends what the configuration in force does, and puts the next one in its place. */
  const replace = (next: ResolvedConfig): void => {
    messages.configure(next);
    if (next.maxBatchSize > MAX_BATCH_SIZE) warn(`maxBatchSize is capped to ${next.maxEvents}`);
    const isSame = config?.account === next.account;
    if (!environment.canCollect) {
      config = next;
      return;
    }
    if (hasOtherCopy(next.account)) warn("another copy collects too");
    const isMoving = !isSame && next.consent !== "denied";
    if (next.consent !== "denied") finish(true);
    if (isMoving) delivery.drain();
    if (config?.flushInterval !== next.flushInterval) interval.cancel();
    config = next;
    if (isMoving) {
      discard();
      delivery.release();
    }
    delivery.reset(isSame);
    visitor.identify(null);
    consent.want(next.consent);
    page.whenActive(() =>
      guard(() => {
        if (config === next) start(next, isSame); // a prerendered page may have come to another one, or closed
      })
    );
    if (isAwaited()) soon.arm(0);
  };
  const stop = (): void => {
    delivery.release();
    delivery.reset(false);
    stopTimers();
    stopListening?.();
    stopListeningToStorage?.();
    stopListeningToStorage = undefined;
  };
  /** Does a part of `init()`. Where a page has replaced what it takes, the SDK does nothing from then on. */
  const guard = (task: () => void): void => {
    try {
      task();
    } catch (error) {
      isAble = false;
      attempt(stop);
      warn(`init() failed: ${describeError(error)}`);
    }
  };
  const read = (argument: string, value: unknown): string | undefined => {
    try {
      return value !== undefined ? toJson(value) : value;
    } catch (error) {
      warn(`${argument} left out: ${describeError(error)}`, argument);
    }
  };
  /** Carries a call out if consent is at least as it needs; keeps what fails from the application. */
  const act = (method: string, argument: unknown, least: ConsentState, operation: () => string | void): void => {
    let problem: string | void;
    // A denial is carried out also where nothing else works.
    const isHeld = !!config && !(isAble ? consent.allows(least) : environment.canCollect && least === "denied");
    try {
      if (!config) problem = "call init() first";
      else if (isHeld) problem = isAble ? `consent is ${consent.state()}` : "nothing is collected";
      else problem = operation();
    } catch (error) {
      problem = describeError(error);
    }
    tell({ type: "called", method, argument, problem: problem || "", isHeld });
  };
  return {
    init(input) {
      const next = resolveConfig(input);
      isAble = environment.canCollect;
      guard(() => {
        replace(next);
        tell({ type: "called", method: "init", argument: 0, problem: "", isHeld: false });
      });
    },
    step: (name, properties) =>
      act("step", name, "granted", () => {
        if (typeof name !== "string" || !/^.{1,100}$/su.test(name)) return "name must be 1-100 characters";
        const text = read("properties", properties);
        if (text && utf8Length(text) > limits.MAX_PROPERTIES_BYTES) {
          tell({ type: "dropped", reason: "too_large", amount: 1 });
          return "properties over 32 KiB";
        }
        if (config && consent.allows("granted")) capture.add(pageviews.describe(name, text));
      }),
    identify: (userId, traits) =>
      act("identify", userId, "pending", () => {
        if (typeof userId !== "string" || !/^.{1,1000}$/su.test(userId)) return "userId must be 1-1000 characters";
        let text = read("traits", traits);
        if (text && utf8Length(text) > limits.MAX_TRAITS_BYTES) {
          warn("traits left out: over 8 KiB");
          text = "";
        }
        if (consent.allows("pending")) visitor.identify(userId, text);
      }),
    reset: () =>
      act("reset", 0, "pending", () => {
        finish(true);
        visitor.reset();
        if (is("granted")) soon.arm(0);
      }),
    page: () =>
      act("page", 0, "granted", () => {
        pageviews.page();
        wake();
      }),
    setConsent: (state) =>
      act("setConsent", state, "denied", () => {
        if (!isConsentState(state)) return INVALID_CONSENT;
        if (state !== consent.state() && (isAble || state === "denied")) consent.change(state);
      }),
    getConsent: consent.state,
    async flush() {
      let flushed: Promise<void> | undefined;
      act("flush", 0, "pending", () => {
        finish(true);
        flushed = delivery.flush();
      });
      await flushed;
    },
    [INSIDE]: { environment, hooks, finish: () => finish(true), batches: queue.batches },
    close() {
      if (isAble) hide();
      config = undefined;
      stop();
    },
  };
}
