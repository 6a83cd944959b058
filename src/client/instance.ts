import { attempt, describeError } from "./base/attempt.ts";
import { MAX_BATCH_SIZE, REDIRECT_MS, TITLE_DELAY_MS } from "./base/limits.ts";
import type { InitConfig } from "./base/types.ts";
import type { Environment, PageEnvironment } from "./platform/environment.ts";
import { detectEnvironment } from "./platform/detect.ts";
import { createTimer } from "./platform/timer.ts";
import { createVisitor } from "./capture/visitor.ts";
import { type CaptureParts, createCapture } from "./capture/capture.ts";
import { createPageviews, type PageviewsParts } from "./capture/pageviews.ts";
import { createFinisher, type FinisherParts } from "./capture/finisher.ts";
import { createQueue } from "./delivery/queue.ts";
import { createOutbox } from "./delivery/outbox.ts";
import { createLink } from "./delivery/link.ts";
import { createDelivery, type DeliveryParts } from "./delivery/delivery.ts";
import { resolveConfig, type ResolvedConfig } from "./config.ts";
import { type ConsentParts, createConsent } from "./consent.ts";
import type { Hooks } from "./hooks.ts";
import { INSIDE, type Inside } from "./inside.ts";
import { createMessages } from "./messages.ts";
import { createOperations, type Operations, type OperationsParts, type Readiness } from "./operations.ts";
import { createPageLife, type PageLife, type PageLifeParts } from "./page_life.ts";

/** A client that does nothing but warn until it's started. */
export interface Instance extends Operations {
  /** Parts for addons. */
  readonly [INSIDE]: Inside;
  /** Starts it, see `Vendor.init()`. */
  init(config: InitConfig): void;
  /** Ends the client: what is queued leaves as when the page goes, and every listener and timer goes. */
  close(): void;
}

/** Parts of a client: each finds the others here when it needs them. */
type Parts =
  & OperationsParts
  & PageLifeParts
  & FinisherParts
  & PageviewsParts
  & CaptureParts
  & DeliveryParts
  & ConsentParts
  & { readonly life: PageLife; config: ResolvedConfig };

/** Names of the parts that have a factory. */
type Made =
  | "visitor"
  | "outbox"
  | "queue"
  | "link"
  | "delivery"
  | "capture"
  | "pageviews"
  | "finisher"
  | "life"
  | "consent";

/** The parts that have none. */
type Own = Omit<Parts, Made> & { readonly __proto__?: null };

/** Before `init()` and after `close()` no account is in force. */
const NO_CONFIG = {} as ResolvedConfig;

/**
 * Creates a client that waits for `init()`: its parts, and who hears whom.
 *
 * @param hooks What addons see and hear of it: those of the client that it takes the place of.
 */
// What runs as a page starts is a function in parentheses, here and in all files that this one imports: V8 compiles such a
// function together with its file, and any other when it's called first, which takes longer than what it does. esbuild and
// Rolldown keep the parentheses, terser doesn't; the formatter does in front of a word.
export const createInstance: (environment?: Environment, hooks?: Hooks) => Instance =
  ((environment = detectEnvironment(), hooks = { beforeSend: [], on: [] }) => {
    // A place without a page keeps the gate shut, and nothing behind it is asked for anything.
    const page = environment as PageEnvironment;
    const messages = createMessages(environment);
    let readiness: Readiness = "closed";
    const soon = createTimer(page, () => {
      parts.life.meet();
      parts.finisher.finish("ready");
      parts.delivery.pump();
    });
    const settler = createTimer(page, () => {
      parts.finisher.finish();
      arm();
    });
    const interval = createTimer(page, () => parts.send("due"));
    const arm = (): void => {
      parts.wake();
      interval.arm(parts.config.flushInterval);
    };
    const parts: Parts = {
      __proto__: null, // a page may have put names like ours on every object
      hooks,
      tell(change) {
        messages.tell(change);
        for (const listener of hooks.on) attempt(() => listener(change));
      },
      send(those) {
        parts.finisher.finish(those);
        parts.queue.flush();
        parts.delivery.pump();
      },
      wake: () => soon.arm(0),
      stopTimers: () => [soon, settler, interval].forEach(({ cancel }) => cancel()),
      config: NO_CONFIG,
      readiness: () => readiness,
      onDraft(isOpen) {
        parts.life.onDraft();
        arm();
        if (!isOpen) return;
        settler.cancel();
        settler.arm(parts.consent.is("granted") ? TITLE_DELAY_MS : REDIRECT_MS);
      },
    } satisfies Own as Own as Parts; // with those below
    const warn = (message: string): void => parts.tell({ type: "warned", message });
    Object.assign<Parts, Pick<Parts, Made>>(parts, {
      visitor: createVisitor(page),
      outbox: createOutbox(parts, page),
      queue: createQueue(parts, page),
      link: createLink(parts, page),
      delivery: createDelivery(parts, page),
      capture: createCapture(parts, page),
      pageviews: createPageviews(parts, page),
      finisher: createFinisher(parts),
      life: createPageLife(parts, page),
      consent: createConsent(parts, page),
    });
    const stop = (): void => {
      parts.delivery.release();
      parts.link.reset();
      parts.stopTimers();
      parts.life.stop();
    };
    /** Makes a part of `init()`. Where a page has replaced what it takes, the SDK does nothing from then on. */
    const guard = (task: () => void) => (): void => {
      try {
        task();
      } catch (error) {
        readiness = "failed";
        attempt(stop);
        warn(`init() failed: ${describeError(error)}`);
      }
    };
    /** Ends what the configuration in force does, and puts the next one in its place. */
    const replace: (next: ResolvedConfig) => void = ((next) => {
      const isSame = parts.config.account === next.account;
      const isKept = parts.config.account && next.consent !== "denied"; // the first init() has nothing to keep
      const isMoving = isKept && !isSame;
      if (isKept) parts.finisher.finish();
      if (isMoving) parts.delivery.drain();
      parts.config = next;
      if (isMoving) {
        parts.finisher.forget();
        parts.delivery.release();
      }
      parts.link.reset(isSame);
      parts.visitor.identify(null);
      parts.consent.want(next.consent);
      if (!isSame) parts.pageviews.forget();
      parts.wake(); // prerendered: a denial on the page in front is heard
      page.whenActive(guard(() => {
        if (parts.config !== next) return; // a prerendered page may have come to another configuration, or closed
        parts.consent.start(isSame); // first: a denial holds also where the page can't be heard
        parts.life.listen(next.trackPageviews ? parts.pageviews.navigate : undefined);
        if (parts.capture.size() + parts.queue.batches().length) arm();
      }));
    }) satisfies typeof replace;
    return {
      ...createOperations(parts),
      init(input) {
        const next = resolveConfig(input);
        readiness = environment.canCollect ? "ready" : "headless";
        guard(() => {
          messages.init(next);
          for (const name in input) if (!(name in next)) warn(`init() has no option ${name}`);
          if (next.maxBatchSize > MAX_BATCH_SIZE) warn(`maxBatchSize is capped to ${MAX_BATCH_SIZE}`);
          if (environment.canCollect) replace(next);
          parts.tell({ type: "called", method: "init" });
        })();
      },
      [INSIDE]: { environment, hooks, finish: parts.finisher.finish, batches: parts.queue.batches },
      close() {
        if (readiness === "ready") attempt(parts.life.hide);
        parts.config = NO_CONFIG;
        readiness = "closed";
        attempt(stop);
      },
    };
  }) satisfies typeof createInstance;
