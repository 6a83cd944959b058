import { createCapture } from "./capture.ts";
import { isConsentState, MAX_BATCH_SIZE, resolveConfig } from "./config.ts";
import { createDelivery } from "./delivery.ts";
import { detectEnvironment } from "./environment/detect.ts";
import type { Cancel, Environment, PageEnvironment } from "./environment/environment.ts";
import { createFlushes } from "./flushes.ts";
import { MAX_PROPERTIES_BYTES, MAX_TRAITS_BYTES } from "./limits.ts";
import { createOutbox } from "./outbox.ts";
import { createPageviews } from "./pageviews.ts";
import { createQueue } from "./queue.ts";
import { createReport, type DropCounts } from "./report.ts";
import { snapshot } from "./snapshot.ts";
import type { ConsentState, InitConfig } from "./types.ts";
import { createVisitor, STORAGE_PREFIX } from "./visitor.ts";

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
   * Sets who the visitor is, from the next event on. Kept in memory for the page only; while consent is
   * pending the last call is remembered and applies once it's granted.
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
  /** Returns the consent state; `"pending"` before `init()`. */
  getConsent(): ConsentState;
  /**
   * Sends now what may be sent. Never rejects.
   *
   * @returns Resolves when each event queued at the call is acknowledged, dropped or waiting, after 30 s at the latest.
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
  /** Starts it, see `Vendor.init()`. */
  init(config: InitConfig): void;
}

/** Creates a client that waits for `init()`. */
export function createInstance(environment: Environment = detectEnvironment()): Instance {
  // A place without a page keeps the gate closed, and nothing behind it is asked for anything.
  const page = environment as PageEnvironment;
  const report = createReport(environment);
  /** Hash of endpoint and key; empty before `init()` and after `close()`. */
  let account = "";
  /** What the application wants; a page that is prerendered comes to it only when it's shown. */
  let wanted: ConsentState = "pending";
  /** What is in force; undefined until collection has started. */
  let consent: ConsentState | undefined;
  /** How often consent was denied: what waited since before that is void. */
  let denials = 0;
  let stopListening: Cancel = () => {};
  /** What waits for a page that is being prerendered; the page's own listeners may hear of its end before. */
  const waiting: (() => void)[] = [];

  const whenActive = (task: () => void): void => {
    if (waiting.push(task) < 2) page.whenActive(() => waiting.splice(0).forEach((next) => next()));
  };
  const is = (state: ConsentState): boolean => state === consent;
  const outbox = createOutbox(page, report);
  const queue = createQueue({ report, outbox });
  const flushes = createFlushes(page, queue.batches);
  const delivery = createDelivery(page, { report, is, queue, outbox, flushes });
  const { capture, forget } = createCapture(page);
  const visitor = createVisitor(page);
  const pageviews = createPageviews(page, { is, visitor, capture, ...delivery });
  const { settle } = pageviews;
  const hide = (isGone: boolean): void => {
    settle();
    delivery.hide(isGone);
  };
  const want = (state: ConsentState): void => {
    wanted = state;
    if (state === "denied") denials++;
  };
  /** Comes to the consent that is wanted, and does what the README's table of consent says of that. */
  const apply = (): void => {
    if (is("granted") && wanted === "pending") {
      settle();
      delivery.drain();
    }
    consent = wanted;
    if (is("granted")) {
      visitor.touch(page.now(), false);
      pageviews.upgrade();
      delivery.resume();
    } else {
      const isDenied = is("denied");
      pageviews.restrict();
      forget();
      visitor.forget(isDenied);
      delivery.forget(isDenied);
      if (isDenied) page.storage.keys(STORAGE_PREFIX).forEach(page.storage.remove);
    }
    pageviews.record();
  };
  const follow = (key: string | null): void => {
    // What the site itself keeps there is none of ours.
    if (key?.startsWith(STORAGE_PREFIX) === false || !is("granted") || !visitor.isGone()) return;
    want("denied");
    apply();
  };
  const ignore = (method: keyof Operations, why: string): void => report.warn(`${method}() ignored: ${why}`);
  /** Carries out an operation if consent allows it, and keeps what fails from the application. */
  const act = (method: keyof Operations, isFull: boolean, prepare: () => (() => void) | void): void => {
    const since = denials;
    if (!account) return ignore(method, "call init() first");
    if (!environment.canCollect || wanted === "denied" || (isFull && wanted !== "granted")) {
      return report.debug(`${method}() ignored: no consent`);
    }
    try {
      const operation = prepare();
      if (!operation) return ignore(method, "invalid argument");
      const carryOut = (): void => {
        if (since === denials && (!isFull || is("granted"))) operation();
      };
      if (consent) carryOut();
      else whenActive(carryOut);
    } catch {
      report.warn(`${method}() failed`);
    }
  };
  return {
    init(input) {
      const next = resolveConfig(input);
      const { endpoint, trackPageviews, maxBatchSize, maxEvents } = next;
      const isSame = account === next.account;
      account = next.account;
      want(next.consent);
      report.setDebug(next.debug);
      if (maxEvents === MAX_BATCH_SIZE && maxBatchSize > MAX_BATCH_SIZE) {
        report.warn(`maxBatchSize is capped to ${maxEvents}`);
      }
      if (!environment.canCollect) return;
      whenActive(() => {
        if (!account) return; // closed in the meantime
        if (wanted !== "denied") settle();
        stopListening();
        visitor.forget(true);
        delivery.configure(next);
        pageviews.configure(trackPageviews, isSame, wanted === "pending");
        stopListening = page.listen({
          ...trackPageviews && { navigate: pageviews.navigated },
          hide,
          show(isRestored) {
            if (isRestored) {
              follow(null); // before anything else
              delivery.abandon();
            }
            delivery.show(isRestored);
            if (isRestored) pageviews.load();
          },
          online: () => delivery.show(true),
          storage: follow,
          blocked(url) {
            if (url === new URL(endpoint).href.split("#")[0]) delivery.close("blocked by a content security policy");
          },
        });
        apply();
      });
    },
    step: (name, properties) =>
      act("step", true, () => {
        if (typeof name !== "string" || !/^.{1,100}$/su.test(name)) return;
        const call = { timeMs: page.now(), url: page.url() };
        const copy = snapshot(properties, MAX_PROPERTIES_BYTES);
        if (copy.failure === "size") return () => report.drop("too_large", 1);
        if (copy.failure) report.warn("properties left out: no object");
        return () => {
          settle();
          delivery.emit(capture(pageviews.fix(call), name, copy), false);
        };
      }),
    identify: (userId, traits) =>
      act("identify", false, () => {
        if (typeof userId !== "string" || !/^.{1,1000}$/su.test(userId)) return;
        const { text, failure } = snapshot(traits, MAX_TRAITS_BYTES);
        if (failure) report.warn("traits left out: no object of at most 8 KiB");
        return () => {
          settle();
          visitor.identify(userId, text);
        };
      }),
    reset: () =>
      act("reset", false, () => () => {
        settle();
        visitor.reset();
        if (is("granted")) visitor.touch(page.now());
      }),
    page: () =>
      act("page", true, () => {
        const call = { timeMs: page.now(), url: page.url() };
        return () => pageviews.page(call);
      }),
    setConsent(state) {
      if (!account) return ignore("setConsent", "call init() first");
      if (!isConsentState(state)) return ignore("setConsent", "invalid argument");
      if (state !== wanted) {
        want(state);
        if (consent) apply();
      }
      report.debug(`consent is ${state}`); // last, to a console that may call us
    },
    getConsent: () => wanted,
    flush() {
      let flushed = Promise.resolve();
      act("flush", false, () => () => {
        settle();
        flushed = delivery.flush();
      });
      return flushed;
    },
    drops: report.drops,
    close() {
      if (consent) hide(true);
      account = "";
      wanted = "pending";
      consent = undefined;
      stopListening();
      delivery.close();
    },
  };
}
