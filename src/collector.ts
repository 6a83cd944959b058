import { createCapture } from "./capture.ts";
import type { ResolvedConfig } from "./config.ts";
import { createDelivery } from "./delivery.ts";
import type { Cancel, PageEnvironment } from "./environment/environment.ts";
import { type Call, createPageviews } from "./pageviews.ts";
import { createQueue } from "./queue.ts";
import type { Report } from "./report.ts";
import { createRetry } from "./retry.ts";
import type { ConsentState } from "./types.ts";
import { createVisitor, STORAGE_PREFIX } from "./visitor.ts";

/** What the operations of the SDK act on, once their arguments are checked and serialised. */
export interface Collector {
  /** Starts collection; when it runs already, the new consent decides over what is held (CONTRACT 26). */
  start(config: ResolvedConfig): void;
  /** Returns the consent state in force; undefined before the start and after the end. */
  getConsent(): ConsentState | undefined;
  /** Changes the consent state, and does what CONTRACT's table says of that. */
  setConsent(state: ConsentState): void;
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
  /** Ends collection; what is held leaves as when the page goes. */
  close(): void;
}

/** Wires a collector. */
export function createCollector(environment: PageEnvironment, report: Report): Collector {
  let config: ResolvedConfig | undefined;
  let consent: ConsentState | undefined;
  let stopListening: Cancel = () => {};
  const is = (state: ConsentState): boolean => state === consent;
  const queue = createQueue((amount) => report.drop("queue_full", amount));
  const delivery = createDelivery(environment, {
    queue,
    retry: createRetry(environment, () => delivery.pump()),
    report,
    mayKeep: () => is("granted"),
  });
  const capture = createCapture(environment);
  const visitor = createVisitor(environment);
  const pageviews = createPageviews(environment, {
    is,
    visitor,
    capture,
    emit: delivery.add,
    withdraw: queue.withdraw,
  });
  const { settle } = pageviews;
  const hide = (): void => {
    settle();
    delivery.drain();
  };
  const setConsent = (next: ConsentState): void => {
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
  };
  const end = (): void => {
    stopListening();
    consent = undefined;
  };
  return {
    start(next) {
      const { endpoint, apiKey, trackPageviews } = next;
      settle();
      if (next.consent === "denied" || is("granted")) setConsent(next.consent);
      end();
      visitor.forget(true);
      delivery.configure(next);
      pageviews.configure(trackPageviews, config?.endpoint === endpoint && config.apiKey === apiKey);
      config = next;
      stopListening = environment.listen({
        ...trackPageviews && { navigate: pageviews.navigated },
        hide,
        show(isRestored) {
          if (isRestored) delivery.abandon();
          delivery.wake(!isRestored);
          if (isRestored) pageviews.load();
        },
        online: () => delivery.wake(),
        blocked(url) {
          if (url === endpoint.split("#")[0]) delivery.stop("a content security policy blocks the endpoint");
        },
      });
      setConsent(next.consent);
    },
    getConsent: () => consent,
    setConsent,
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
    close() {
      hide();
      end();
      delivery.stop();
    },
  };
}
