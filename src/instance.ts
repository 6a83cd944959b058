import type { Cancel, Environment, PageEnvironment, StorageChange } from "./environment/environment.ts";
import { detectEnvironment } from "./environment/detect.ts";
import { createConsent } from "./consent.ts";
import { createTimer } from "./environment/timer.ts";
import { later } from "./attempt.ts";
import { createVisitor, STORAGE_PREFIX, VISITOR_KEY } from "./visitor.ts";
import { toJson } from "./json.ts";
import { createOutbox, LEASE_PREFIX } from "./outbox.ts";
import { createDelivery } from "./delivery.ts";
import { createPageviews } from "./pageviews.ts";
import { isConsentState, MAX_BATCH_SIZE, resolveConfig, type ResolvedConfig } from "./config.ts";
import { createQueue } from "./queue.ts";
import { utf8Length } from "./utf8.ts";
import { INSIDE, type Inside } from "./inside.ts";
import * as limits from "./limits.ts";
import type { ConsentState, InitConfig } from "./types.ts";
import { createReport, type DropCounts } from "./report.ts";
import { createCapture } from "./capture.ts";

/** The operations of the SDK (SPEC 4.2). None throws or rejects, whatever it is handed; each works unbound. */
export interface Operations {
  /**
   * Records an event (SPEC 2.6) while consent is granted. Properties are copied at the call.
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

/** A client: the operations, and what an application with several of them needs. */
export interface Client extends Operations {
  /** Returns how many events were dropped, by reason. */
  drops(): DropCounts;
  /** Ends the client: what is queued leaves as when the page goes, and every listener and timer goes. */
  close(): void;
}

/** A client that does nothing but warn until it's started. */
export interface Instance extends Client {
  /** What tools get at. */
  readonly [INSIDE]: Inside;
  /** Starts it, see `Vendor.init()`. */
  init(config: InitConfig): void;
}

/** Creates a client that waits for `init()`. */
export function createInstance(environment: Environment = detectEnvironment()): Instance {
  // A place without a page keeps the gate shut, and nothing behind it is asked for anything.
  const page = environment as PageEnvironment;
  const report = createReport(environment);
  let config: ResolvedConfig | undefined;
  /** Whether it can collect: not where the last `init()` failed. */
  let isAble: boolean = environment.canCollect;
  let stopListening: Cancel | undefined;
  let stopListeningToStorage: Cancel | undefined;
  /** Until when an exit lasts, by `elapsed()`: what the page's own handlers track in it leaves at once. */
  let exitEndsMs = 0;

  const is = (state: ConsentState): boolean => consent.is(state);
  /** After `close()` no account is in force. */
  const inForce = (): ResolvedConfig => config ?? {} as ResolvedConfig;
  const visitor = createVisitor(page);
  const outbox = createOutbox(page);
  const queue = createQueue(page, inForce);
  const delivery = createDelivery(page, { config: inForce, is, queue, outbox, report });
  const capture = createCapture(page, {
    visitor,
    report,
    onDraft(isOpen) {
      if (page.elapsed() < exitEndsMs) later(hide); // behind the page's handler, and before the page may be gone
      wake();
      if (isOpen) settler.restart(is("granted") ? limits.TITLE_DELAY_MS : limits.REDIRECT_MS);
    },
  });
  const pageviews = createPageviews(page, { is, visitor, capture, queue });

  /** Goes on: sends what waits, and looks for what other pages left. */
  const resume = (): void => {
    soon.arm(0);
    delivery.look();
  };
  const consent = createConsent({
    ...pageviews, // record() and upgrade()
    discard: capture.clear,
    erase() {
      capture.clear();
      delivery.clear();
      visitor.identify(null);
      visitor.forget();
      pageviews.restrict();
      stopTimers();
      for (const key of page.storage.keys(STORAGE_PREFIX)) page.storage.remove(key);
    },
    suspend() {
      finish(true);
      delivery.drain();
      delivery.release();
      capture.clear(); // what a rule of the application recorded meanwhile
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
    if (!is(consent.state())) return; // the page is prerendered, or this is the first init()
    isDue ||= capture.size() + queue.size() >= inForce().maxEvents;
    if (isUrgent || (isDue && !pageviews.awaitsRedirect())) capture.settle();
    capture.finish().forEach(queue.append);
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
  const follow = ({ key, newValue }: StorageChange): void => {
    if (!is("granted")) return;
    if (key?.startsWith(LEASE_PREFIX)) delivery.look();
    if (key && key !== VISITOR_KEY) return;
    if (key && !newValue) return consent.change("denied");
    // Without a key the site cleared its storage, which is no denial.
    if (key && !visitor.isOther(newValue)) return;
    visitor.detach();
    finish(true);
    visitor.identify(null);
    visitor.forget();
    soon.arm(0);
  };
  const soon = createTimer(page, () => {
    if (is("granted")) {
      outbox.setGone(page.elapsed() < exitEndsMs);
      visitor.meet();
      stopListeningToStorage ??= page.listenToStorage(follow);
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
    consent.start(isSame);
    if (capture.size() + queue.size()) wake();
  };
  /** Ends what the configuration in force does, and puts the next one in its place. */
  const replace = (next: ResolvedConfig): void => {
    report.setDebug(next.debug);
    if (next.maxBatchSize > MAX_BATCH_SIZE) report.warn(`maxBatchSize is capped to ${next.maxEvents}`);
    const isSame = config?.account === next.account;
    if (!environment.canCollect) {
      config = next;
      return;
    }
    const isMoving = !isSame && next.consent !== "denied";
    if (next.consent !== "denied") finish(true);
    if (isMoving) delivery.drain();
    if (config?.flushInterval !== next.flushInterval) interval.cancel();
    config = next;
    if (isMoving) {
      capture.clear();
      delivery.release();
    }
    delivery.reset(isSame);
    visitor.identify(null);
    consent.want(next.consent);
    page.whenActive(() => {
      if (config === next) start(next, isSame); // a prerendered page may have come to another one, or closed
    });
  };
  /** Carries a call out if consent is at least as it needs; keeps what fails from the application. */
  const act = (method: keyof Operations, least: ConsentState, operation: () => string | void): void => {
    const ignore = (log: (message: string) => void, why: string): void => log(`${method}() ignored: ${why}`);
    try {
      if (!config) return ignore(report.warn, "call init() first");
      if (!isAble || !consent.allows(least)) {
        return ignore(report.debug, `consent is ${consent.state()}`);
      }
      const problem = operation();
      if (problem) ignore(report.warn, problem);
      else if (problem !== "") report.debug(`${method}() done`); // empty where that was said already
    } catch {
      report.warn(`${method}() failed`);
    }
  };
  const read = (value: unknown): string | undefined => {
    const text = toJson(value);
    if (!text && value !== undefined) report.warn("left out: unreadable");
    return text;
  };
  return {
    init(input) {
      const next = resolveConfig(input);
      isAble = environment.canCollect;
      try {
        replace(next);
      } catch (error) {
        isAble = false;
        report.warn(`init() failed: ${error}`); // a page has replaced what it takes
      }
    },
    step: (name, properties) =>
      act("step", "granted", () => {
        if (typeof name !== "string" || !/^.{1,100}$/su.test(name)) return INVALID;
        const text = read(properties);
        if (text && utf8Length(text) > limits.MAX_PROPERTIES_BYTES) {
          report.drop("too_large", 1);
          return "";
        }
        if (config && consent.allows("granted")) capture.add(pageviews.describe(name, text)); // a getter may have denied consent, or closed the client
      }),
    identify: (userId, traits) =>
      act("identify", "pending", () => {
        if (typeof userId !== "string" || !/^.{1,1000}$/su.test(userId)) return INVALID;
        let text = read(traits);
        if (text && utf8Length(text) > limits.MAX_TRAITS_BYTES) {
          report.warn("left out: large traits");
          text = "";
        }
        if (consent.allows("pending")) visitor.identify(userId, text);
      }),
    reset: () =>
      act("reset", "pending", () => {
        finish(true);
        visitor.reset();
        if (is("granted")) soon.arm(0);
      }),
    page: () =>
      act("page", "granted", () => {
        pageviews.page();
        wake();
      }),
    setConsent: (state) =>
      act("setConsent", "denied", () => {
        if (!isConsentState(state)) return INVALID;
        if (state !== consent.state()) consent.change(state);
      }),
    getConsent: consent.state,
    async flush() {
      let flushed: Promise<void> | undefined;
      act("flush", "pending", () => {
        finish(true);
        flushed = delivery.flush();
      });
      await flushed;
    },
    [INSIDE]: { environment, report, capture, queue },
    drops: report.drops,
    close() {
      if (isAble) hide();
      config = undefined;
      delivery.release();
      delivery.reset(false);
      stopTimers();
      stopListening?.();
      stopListeningToStorage?.();
      stopListeningToStorage = undefined;
    },
  };
}

const INVALID = "invalid argument";
