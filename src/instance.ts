import { type Collector, createCollector } from "./collector.ts";
import { isConsentState, MAX_BATCH_SIZE, resolveConfig, type ResolvedConfig } from "./config.ts";
import type { Environment, PageEnvironment } from "./environment/environment.ts";
import { createReport, type DropCounts, type Report } from "./report.ts";
import { snapshot } from "./snapshot.ts";
import type { ConsentState, InitConfig } from "./types.ts";

/** Longest event name, in Unicode code points (SPEC 8). */
export const MAX_NAME_LENGTH = 100;

/** Longest user ID, in Unicode code points. */
export const MAX_USER_ID_LENGTH = 1000;

/** Most UTF-8 bytes of an event's properties as JSON (CONTRACT 11). */
export const MAX_PROPERTIES_BYTES = 32_768;

/** Most UTF-8 bytes of a user's traits as JSON (CONTRACT 9). */
export const MAX_TRAITS_BYTES = 8192;

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

/** Operations that do nothing but warn until they are started. */
export interface Instance {
  /** The client. */
  readonly client: Client;
  /**
   * Starts it; when it runs already, ends that and starts afresh.
   *
   * @throws {Error} One of the five errors of SPEC 7; what runs goes on then.
   */
  init(config: InitConfig): void;
}

/** Creates operations for an environment that is asked for with the first call. */
export function createInstance(findEnvironment: () => Environment): Instance {
  let environment: Environment | undefined;
  let report: Report;
  let config: ResolvedConfig | undefined;
  let collector: Collector | undefined;
  /** Calls on a page that is prerendered and may never be shown (CONTRACT 20a); each has its own time and URL. */
  let waiting: ((collector: Collector) => void)[] = [];

  const here = (): Environment => {
    if (!environment) report = createReport(environment = findEnvironment());
    return environment;
  };
  const getConsent = (): ConsentState => collector?.getConsent() ?? config?.consent ?? "pending";
  const isOpen = (isFull: boolean): boolean => getConsent() === "granted" || (!isFull && getConsent() === "pending");
  /** Prepares an operation, carries it out if consent allows it, and keeps what fails from the application. */
  const act = (
    method: keyof Operations,
    isFull: boolean,
    prepare: (page: PageEnvironment) => ((collector: Collector) => void) | void,
  ): void => {
    const page = here();
    if (!config) return report.warn(`${method}() ignored: call init() first`);
    if (!page.canCollect || !isOpen(isFull)) return report.debug(`${method}() ignored: consent is ${getConsent()}`);
    try {
      const operation = prepare(page);
      if (!operation) return report.warn(`${method}() ignored: invalid argument`);
      if (collector) operation(collector);
      else if (isOpen(isFull)) waiting.push(operation); // a getter of the application may have changed consent
    } catch {
      report.warn(`${method}() failed`);
    }
  };
  const client: Client = {
    step: (name, properties) =>
      act("step", true, (page) => {
        if (!isText(name, MAX_NAME_LENGTH)) return;
        const call = { timeMs: page.now(), url: page.url() };
        const { text, failure } = snapshot(properties, MAX_PROPERTIES_BYTES);
        if (failure === "size") return () => report.drop("too_large", 1);
        if (failure) report.warn("properties left out: no object");
        return (to) => to.step(call, name, text);
      }),
    identify: (userId, traits) =>
      act("identify", false, () => {
        if (!isText(userId, MAX_USER_ID_LENGTH)) return;
        const { text, failure } = snapshot(traits, MAX_TRAITS_BYTES);
        if (failure) report.warn("traits left out: no object of at most 8 KiB");
        return (to) => to.identify(userId, text);
      }),
    reset: () => act("reset", false, () => (to) => to.reset()),
    page: () =>
      act("page", true, (page) => {
        const call = { timeMs: page.now(), url: page.url() };
        return (to) => to.page(call);
      }),
    setConsent(state) {
      here();
      if (!config) return report.warn("setConsent() ignored: call init() first");
      if (!isConsentState(state)) return report.warn("setConsent() ignored: invalid argument");
      report.debug(`consent is ${state}`);
      if (collector) return collector.setConsent(state);
      config = { ...config, consent: state };
      if (state !== "granted") waiting.length = 0;
    },
    getConsent,
    flush() {
      let flushed = Promise.resolve();
      act("flush", false, () => (to) => {
        flushed = to.flush();
      });
      return flushed;
    },
    drops: () => report.drops(),
    close() {
      collector?.close();
      waiting = [];
    },
  };
  return {
    client,
    init(input) {
      const resolved = resolveConfig(input);
      const page = here();
      const { maxBatchSize, debug } = config = resolved;
      report.setDebug(debug);
      if (maxBatchSize > MAX_BATCH_SIZE && maxBatchSize < Infinity) {
        report.warn(`maxBatchSize is capped to ${MAX_BATCH_SIZE}`);
      }
      const calls: typeof waiting = waiting = [];
      if (!page.canCollect) return;
      page.whenActive(() => {
        if (!config || waiting !== calls) return; // a later init() came first
        const inherited = collector?.handOver(config.consent);
        const started = collector = createCollector(page, { config, report, inherited });
        for (const operation of calls.splice(0)) operation(started);
      });
    },
  };
}

/** Lengths count code points, as JSON Schema does. */
function isText(value: unknown, maxLength: number): value is string {
  return typeof value === "string" && !!value && [...value.slice(0, 2 * maxLength + 1)].length <= maxLength;
}
