import { describeError } from "./base/attempt.ts";
import { MAX_PROPERTIES_BYTES, MAX_TRAITS_BYTES } from "./base/limits.ts";
import type { ConsentState } from "./base/types.ts";
import { utf8Length } from "./base/utf8.ts";
import type { Capture } from "./capture/capture.ts";
import type { Finisher } from "./capture/finisher.ts";
import type { Pageviews } from "./capture/pageviews.ts";
import type { Visitor } from "./capture/visitor.ts";
import { INVALID_CONSENT, isConsentState } from "./config.ts";
import type { Consent } from "./consent.ts";
import type { Delivery } from "./delivery/delivery.ts";
import type { Tell } from "./hooks.ts";
import { toJson } from "./json.ts";

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
  /**
   * Records a full pageview of the current URL while consent is granted.
   *
   * @param properties As those of `step()`.
   */
  page(properties?: object): void;
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

/** Work that a client can do. */
export type Readiness =
  /** Nothing yet, or nothing more. */
  | "closed"
  /** Everything that consent allows. */
  | "ready"
  /** A denial alone: the last `init()` failed. */
  | "failed"
  /** Nothing: there is no page. */
  | "headless";

/** Parts that operations work with. */
export interface OperationsParts {
  readonly readiness: () => Readiness;
  readonly consent: Consent;
  readonly visitor: Visitor;
  readonly capture: Capture;
  readonly pageviews: Pageviews;
  readonly finisher: Finisher;
  readonly delivery: Delivery;
  readonly tell: Tell;
  /** Makes events of the drafts, of all or of those that are `"due"`, and sends what may be sent now. */
  readonly send: (those?: "due") => void;
  /** Asks for a task in which the SDK goes on. */
  readonly wake: () => void;
}

/** Creates the operations of a client. */
export const createOperations: (parts: OperationsParts) => Operations = ((parts) => {
  const read = (argument: string, value: unknown, maxBytes?: number): string | undefined => {
    try {
      const text = value === undefined ? value : toJson(value);
      if (maxBytes && utf8Length(`${text}`) > maxBytes) throw new Error("too large");
      return text;
    } catch (error) {
      parts.tell({ type: "warned", message: `${argument} left out: ${describeError(error)}`, kind: argument });
    }
  };
  /** Records an event with properties. Reading those may have called the SDK: consent is asked anew behind it. */
  const record = (properties: unknown, run: (text?: string) => void): string | void => {
    const text = read("properties", properties);
    if (text && utf8Length(text) > MAX_PROPERTIES_BYTES) {
      parts.tell({ type: "dropped", reason: "too_large", amount: 1 });
      return "properties over 32 KiB";
    }
    if (parts.readiness() === "ready" && parts.consent.wants("granted")) run(text);
  };
  /** Makes a call that is carried out if consent is at least as it needs, and keeps what fails from the application. */
  const call =
    (method: keyof Operations, least: ConsentState, run: (first: unknown, second: unknown) => string | void) =>
    (first?: unknown, second?: unknown): void => {
      const state = parts.readiness();
      const isReady = state === "ready";
      // A denial is carried out also where nothing else works.
      const isHeld = state !== "closed" &&
        !(isReady ? parts.consent.wants(least) : state === "failed" && least === "denied");
      let problem: string | void;
      try {
        if (state === "closed") problem = "call init() first";
        else if (isHeld) problem = isReady ? `consent is ${parts.consent.state()}` : "nothing is collected";
        else problem = run(first, second);
      } catch (error) {
        problem = describeError(error);
      }
      parts.tell({ type: "called", method, argument: first, reason: problem, isHeld });
    };
  return {
    step: call("step", "granted", (name, properties) => {
      if (typeof name !== "string" || !/^.{1,100}$/su.test(name)) return "name must be 1-100 characters";
      return record(properties, (text) => parts.capture.add(parts.pageviews.draft(name, text)));
    }),
    identify: call("identify", "pending", (userId, traits) => {
      if (typeof userId !== "string" || !/^.{1,1000}$/su.test(userId)) return "userId must be 1-1000 characters";
      const text = read("traits", traits, MAX_TRAITS_BYTES);
      if (parts.consent.wants("pending")) parts.visitor.identify(userId, text);
    }),
    reset: call("reset", "pending", () => {
      parts.finisher.finish();
      parts.visitor.reset();
      parts.capture.disown(); // a prerendered page has finished none: they are of the visitor of its activation
      parts.wake();
    }),
    page: call("page", "granted", (properties) => record(properties, parts.pageviews.page)),
    setConsent: call("setConsent", "denied", (state) => {
      if (!isConsentState(state)) return INVALID_CONSENT;
      if (state !== parts.consent.state() && (state === "denied" || parts.readiness() === "ready")) {
        parts.consent.change(state);
      }
    }),
    getConsent: parts.consent.state,
    async flush() {
      let flushed: Promise<void> | undefined;
      call("flush", "pending", () => {
        parts.send();
        flushed = parts.delivery.flush().catch(() => {}); // a page may have replaced what it takes
      })();
      await flushed;
    },
  };
}) satisfies typeof createOperations;
