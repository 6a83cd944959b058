import type { Target } from "./batch.ts";
import { createCapture } from "./capture.ts";
import { effectiveBatchSize, type ResolvedConfig } from "./config.ts";
import { createDelivery, type Delivery } from "./delivery.ts";
import type { PageEnvironment } from "./environment/environment.ts";
import { type Call, createPageviews, type View } from "./pageviews.ts";
import { createQueue } from "./queue.ts";
import type { Report } from "./report.ts";
import { createRetry } from "./retry.ts";
import type { ConsentState } from "./types.ts";
import { createVisitor, STORAGE_PREFIX } from "./visitor.ts";

/** What the operations of the SDK act on, once their arguments are checked and serialised. */
export interface Collector {
  /** Records an event with the JSON text of its properties. */
  step(call: Call, name: string, properties?: string): void;
  /** Sets the user with the JSON text of the traits. */
  identify(userId: string, traits?: string): void;
  /** Starts over as a new anonymous visitor. */
  reset(): void;
  /** Records a full pageview. */
  page(call: Call): void;
  /** Sends what may be sent now. */
  flush(): Promise<void>;
  /** Returns the consent state. */
  getConsent(): ConsentState;
  /** Changes the consent state, and does what CONTRACT's table says of that. */
  setConsent(state: ConsentState): void;
  /** Ends collection; what is held leaves as when the page goes. */
  close(): void;
  /** Ends collection in favour of the next collector on the same page, whose consent decides over what is held. */
  handOver(consent: ConsentState): Inheritance;
}

/** What a collector leaves to the next one on the same page. */
export interface Inheritance {
  /** Goes on with what is held. */
  readonly delivery: Delivery;
  /** Where it sent events. */
  readonly target: Target;
  /** The page as it was seen. */
  readonly view: View;
}

/** What a collector is made with. */
export interface CollectorOptions {
  /** Checked configuration. */
  readonly config: ResolvedConfig;
  /** Where messages go. */
  readonly report: Report;
  /** What the collector before this one left. */
  readonly inherited?: Inheritance | undefined;
}

/** Wires a collector and starts it. */
export function createCollector(
  environment: PageEnvironment,
  { config, report, inherited }: CollectorOptions,
): Collector {
  const { endpoint, apiKey, flushInterval, maxBatchSize, trackPageviews: mode } = config;
  let consent: ConsentState | undefined;
  let isOver = false;
  const is = (state: ConsentState): boolean => state === consent && !isOver;
  const target: Target = {
    endpoint,
    apiKey,
    flushInterval,
    maxEvents: effectiveBatchSize(maxBatchSize),
    mayKeep: () => is("granted"),
  };
  const delivery = inherited?.delivery ?? createDelivery(environment, {
    queue: createQueue((amount) => report.drop("queue_full", amount)),
    retry: createRetry(environment, () => delivery.pump()),
    report,
    target,
  });
  delivery.configure(target);
  const capture = createCapture(environment);
  const visitor = createVisitor(environment);
  const isSame = inherited?.target.endpoint === endpoint && inherited.target.apiKey === apiKey;
  const pageviews = createPageviews(environment, {
    mode,
    is,
    visitor,
    capture,
    emit: delivery.add,
    withdraw: delivery.withdraw,
    view: isSame ? inherited.view : undefined,
  });
  const { settle } = pageviews;
  const hide = (): void => {
    settle();
    delivery.drain();
  };
  const stopListening = environment.listen({
    ...mode && { navigate: pageviews.navigated },
    hide,
    show(isRestored) {
      delivery.show(isRestored);
      if (isRestored) pageviews.load();
    },
    online: delivery.online,
    blocked(url) {
      if (url === endpoint.split("#")[0]) delivery.stop("a content security policy blocks the endpoint");
    },
  });
  const collector: Collector = {
    step(call, name, properties) {
      settle();
      if (is("granted")) delivery.add(capture(pageviews.fix(call), name, properties), false);
    },
    identify(userId, traits) {
      settle();
      if (!is("denied")) visitor.identify(userId, traits);
    },
    reset() {
      settle();
      visitor.reset();
      if (is("granted")) visitor.touch(environment.now());
    },
    page(call) {
      if (is("granted")) pageviews.page(call);
    },
    flush() {
      settle();
      return delivery.flush();
    },
    getConsent: () => consent ?? config.consent,
    setConsent(next) {
      if (is(next)) return;
      if (is("granted") && next === "pending") hide();
      consent = next;
      if (is("granted")) {
        visitor.touch(environment.now());
        pageviews.upgrade();
      } else {
        const isDenied = is("denied");
        pageviews.restrict();
        visitor.forget(isDenied);
        delivery.forget(isDenied);
        if (isDenied) environment.storage.clear(STORAGE_PREFIX);
      }
      pageviews.record();
    },
    close() {
      hide();
      stopListening();
      isOver = true;
    },
    handOver(next) {
      settle();
      if (next === "denied" || is("granted")) collector.setConsent(next);
      stopListening();
      isOver = true;
      return { delivery, target, view: pageviews.view() };
    },
  };
  collector.setConsent(config.consent);
  return collector;
}
