import type { Batch } from "./base/batch.ts";
import type { Draft, FinishedEvent } from "./base/draft.ts";
import type { TransportAnswer } from "./platform/environment.ts";
import type { ConsentState } from "./base/types.ts";

/**
 * Why events were dropped:
 *
 * - `queue_full`: memory holds no more.
 * - `too_large`: one event is too long, or the ingest answered 413.
 * - `too_old`: they waited for 7 days.
 * - `rejected`: the ingest refused them.
 * - `stopped`: nothing can be sent any more.
 * - `consent`: it was withdrawn before they were delivered. Or the client was closed or moved to another key before, and
 *   the device couldn't keep them.
 * - `redacted`: a rule of the application dropped them, or failed; or the page has replaced what they are made with.
 */
export type DropReason = "queue_full" | "too_large" | "too_old" | "rejected" | "stopped" | "consent" | "redacted";

/** A change in a client. */
export type Change =
  /** A call of the application returned. `reason` says why it was ignored, if it was; `isHeld`: because of consent. */
  | {
    readonly type: "called";
    readonly method: string;
    readonly argument?: unknown;
    readonly reason?: string | void;
    readonly isHeld?: boolean;
  }
  /** The developer is to know something. The console shows one message of a `kind`. */
  | { readonly type: "warned"; readonly message: string; readonly kind?: string }
  /** An event was captured. */
  | { readonly type: "recorded"; readonly draft: Draft }
  /** It is an event now, and waits to be sent. */
  | { readonly type: "queued"; readonly event: FinishedEvent }
  /** It was taken back before it left: a redirect led back, or the page is recorded in full. */
  | { readonly type: "withdrawn"; readonly draft: Draft }
  /** A request left. */
  | { readonly type: "sent"; readonly batch: Batch }
  /** It was answered, or got no answer. */
  | { readonly type: "answered"; readonly batch: Batch; readonly answer: TransportAnswer }
  /** Nothing is sent for so long. */
  | { readonly type: "waiting"; readonly delayMs: number }
  /** Events were given up. A denial tells the amount alone. What the device has of a batch doesn't count to the amount. */
  | {
    readonly type: "dropped";
    readonly reason: DropReason;
    readonly amount: number;
    readonly draft?: Draft | undefined;
    readonly batch?: Batch;
  }
  /** Consent is in force. */
  | { readonly type: "consent"; readonly state: ConsentState };

/** The way into a client: addons add functions to these lists, and take them out again. */
export interface Hooks {
  /**
   * Each sees an event before anything keeps or sends it, and returns it as it may leave, or nothing to drop it. The text that
   * it returns must be JSON of one line: nothing checks it, and other text costs the events of its whole request. One that
   * throws costs that event.
   */
  readonly beforeSend: ((event: FinishedEvent) => FinishedEvent | undefined)[];
  /** Each hears of every change, in the task in which it happens. One that throws costs nothing. */
  readonly on: Tell[];
}

/** Tells of a change. */
export type Tell = (change: Change) => void;
