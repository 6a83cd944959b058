import { type Collector, createCollector } from "./collector.ts";
import { isConsentState, MAX_BATCH_SIZE, resolveConfig, type ResolvedConfig } from "./config.ts";
import { detectEnvironment } from "./environment/detect.ts";
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

/** A client that does nothing but warn until it's started. */
export interface Instance extends Client {
  /** Starts it, see `Vendor.init()`. */
  init(config: InitConfig): void;
}

/** What an operation does once its arguments are checked. */
type Operation = (collector: Collector) => void;

/** Checks the arguments of an operation; returns nothing if they are invalid. */
type Prepare = (page: PageEnvironment) => Operation | void;

/** Creates a client that waits for `init()`; the environment is looked for with the first call. */
export function createInstance(environment?: Environment): Instance {
  let report: Report | undefined;
  let config: ResolvedConfig | undefined;
  let collector: Collector | undefined;
  /** Calls on a page that is prerendered and may never be shown (CONTRACT 20a); each has its own time and URL. */
  let waiting: { readonly isFull: boolean; readonly operation: Operation }[] = [];

  const tell = (): Report => report ??= createReport(environment ??= detectEnvironment());
  const getConsent = (): ConsentState => collector?.getConsent() ?? config?.consent ?? "pending";
  const isOpen = (isFull: boolean): boolean => getConsent() === "granted" || (!isFull && getConsent() === "pending");
  /** Carries out an operation if consent allows it, and keeps what fails from the application. */
  const act = (method: keyof Client, isFull: boolean, prepare: Prepare): void => {
    const { warn, debug } = tell();
    if (!config) return warn(`${method}() ignored: call init() first`);
    if (!environment?.canCollect || !isOpen(isFull)) return debug(`${method}() ignored: no consent`);
    try {
      const operation = prepare(environment);
      if (!operation) return warn(`${method}() ignored: invalid argument`);
      if (collector) operation(collector);
      else if (isOpen(isFull)) waiting.push({ isFull, operation }); // a getter of the application may have changed it
    } catch {
      warn(`${method}() failed`);
    }
  };
  return {
    init(input) {
      const resolved = config = resolveConfig(input);
      const { maxBatchSize, debug } = resolved;
      const { warn, setDebug } = tell();
      setDebug(debug);
      if (maxBatchSize > MAX_BATCH_SIZE && maxBatchSize < Infinity) warn(`maxBatchSize is capped to ${MAX_BATCH_SIZE}`);
      const calls: typeof waiting = waiting = [];
      if (!environment?.canCollect) return;
      const page = environment;
      page.whenActive(() => {
        if (!config || waiting !== calls) return; // ended, or started anew
        collector ??= createCollector(page, tell());
        collector.start(config);
        for (const { operation } of calls.splice(0)) operation(collector);
      });
    },
    step: (name, properties) =>
      act("step", true, (page) => {
        if (!isText(name, MAX_NAME_LENGTH)) return;
        const call = { timeMs: page.now(), url: page.url() };
        const { text, failure } = snapshot(properties, MAX_PROPERTIES_BYTES);
        if (failure === "size") return () => tell().drop("too_large", 1);
        if (failure) tell().warn("properties left out: no object");
        return (to) => to.step(call, name, text);
      }),
    identify: (userId, traits) =>
      act("identify", false, () => {
        if (!isText(userId, MAX_USER_ID_LENGTH)) return;
        const { text, failure } = snapshot(traits, MAX_TRAITS_BYTES);
        if (failure) tell().warn("traits left out: no object of at most 8 KiB");
        return (to) => to.identify(userId, text);
      }),
    reset: () => act("reset", false, () => (to) => to.reset()),
    page: () =>
      act("page", true, (page) => {
        const call = { timeMs: page.now(), url: page.url() };
        return (to) => to.page(call);
      }),
    setConsent(state) {
      const { warn, debug } = tell();
      if (!config) return warn("setConsent() ignored: call init() first");
      if (!isConsentState(state)) return warn("setConsent() ignored: invalid argument");
      debug(`consent is ${state}`);
      config = { ...config, consent: state };
      collector?.setConsent(state);
      const kept = waiting.splice(0).filter(({ isFull }) => state === "granted" || (state === "pending" && !isFull));
      waiting.push(...kept);
    },
    getConsent,
    flush() {
      let flushed = Promise.resolve();
      act("flush", false, () => (to) => {
        flushed = to.flush();
      });
      return flushed;
    },
    drops: () => tell().drops(),
    close() {
      config = undefined;
      collector?.close();
    },
  };
}

/** Lengths count code points, as JSON Schema does. */
function isText(value: unknown, maxLength: number): value is string {
  return typeof value === "string" && !!value && [...value.slice(0, 2 * maxLength + 1)].length <= maxLength;
}
