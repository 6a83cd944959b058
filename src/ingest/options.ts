/**
 * Options that a user of the ingest passes in, and outcomes that are reported back.
 *
 * @module
 */
import type { Plan, ViolationKind } from "@vendor/sdk/contract";
import type { Refusal } from "./contract/refusal.ts";
import type { StoredEvent } from "./events/stored_event.ts";
import type { EventSink } from "./ports/sink.ts";
import type { IngestKey } from "./keys/ingest_key.ts";

/** A request was refused. Holds nothing of its key, its body or an identity. */
export interface RefusedOutcome {
  /** Discriminant. */
  readonly kind: "refused";
  /** Name of the sender's key; absent where none was known. */
  readonly keyName?: string;
  /** HTTP status of the answer. */
  readonly status: Refusal["status"];
  /** Machine-readable reason. */
  readonly code: Refusal["code"] | "refused_by_sink";
  /** The sentence that the sender got; a general one where the sink chose the words. */
  readonly message: string;
}

/** The outcome of a request. Holds no key, no body and no identity: it is made for logs and counters. */
export type IngestOutcome =
  | RefusedOutcome
  /** The events of a request were stored, or were known already. */
  | {
    /** Discriminant. */
    readonly kind: "stored";
    /** Name of the sender's key. */
    readonly keyName: string;
    /** Number of events stored now. */
    readonly accepted: number;
    /** Number of those stored before. */
    readonly duplicates: number;
    /** Number of those left out, since an erasure names them; present where there were any. */
    readonly erased?: number;
    /** Number of pageviews, full or aggregate, among the events stored now. */
    readonly pageviews: number;
    /** Number of these pageviews that were past the allowance of the month. */
    readonly overAllowance: number;
    /** Number of events that the plan refused; present with `planMode: "refuse"`. */
    readonly refused?: number;
    /**
     * Violations of the plan, counted by name and kind: of the events stored now, or of all where the sink can't tell
     * which they are, and of the refused ones. Present where there is a plan.
     */
    readonly violations?: readonly {
      /** Name of the step; empty for all names that the plan doesn't have, of which there may be any number. */
      readonly name: string;
      /** Kind of the breach. */
      readonly kind: ViolationKind;
      /** Number of events. */
      readonly count: number;
    }[];
  };

/** Events that break the plan in one way. */
export type ViolationCount = NonNullable<Extract<IngestOutcome, { readonly kind: "stored" }>["violations"]>[number];

/** Options of {@linkcode createIngest}. Listeners aren't awaited; whether they throw or reject changes no answer. */
export interface IngestOptions {
  /** Keys that may send. At least one. */
  readonly keys: readonly IngestKey[];
  /** Where events are stored. The caller closes it. */
  readonly sink: EventSink;
  /**
   * Plan of an application's steps. Events that break it are stored all the same, with their `violation`, and counted
   * for {@linkcode onOutcome}. A schema that throws lets its event pass, and is told to {@linkcode onError}.
   *
   * @default {no plan: every step is taken}
   */
  readonly plan?: Plan;
  /**
   * Fate of events that break the plan: `"count"` stores them, `"refuse"` leaves them out. The answer is 202 with their
   * number in `refused`, for the SDK must not send them again.
   *
   * @default {"count"}
   */
  readonly planMode?: "count" | "refuse";
  // SPEC 4.1
  /**
   * Path that is answered; every other one is 404.
   *
   * @default {"/v1/events"}
   */
  readonly path?: string;
  /**
   * Milliseconds that a body may take to arrive; one that takes longer is answered 503. For a server that has no such
   * limit of its own: a sender that stalls would keep its place for as long as it likes.
   *
   * @default {no limit}
   */
  readonly bodyTimeoutMs?: number;
  /**
   * Current time in milliseconds since the Unix epoch, for `receivedAt`.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
  /**
   * Returns the address of a request's sender, for {@linkcode IngestKey.ownVisits}: as the runtime has it, or a proxy that
   * you trust. It isn't kept. What the function throws is told to {@linkcode onError}.
   *
   * @default {no address is known}
   */
  readonly addressOf?: (request: Request) => string | undefined;
  /**
   * Returns the country of a request's sender in two letters, for {@linkcode IngestKey.dimensions}: as a proxy that you trust
   * names it in a header. Anybody can send a header: read it only where your proxy sets it. What the function throws is
   * told to {@linkcode onError}.
   *
   * @default {no country is known}
   */
  readonly countryOf?: (request: Request) => string | undefined;
  /**
   * A limit of your own, on top of {@linkcode IngestKey.rateLimit}: one that several processes share, for instance.
   * Says how many milliseconds the sender of a key has to wait before it may send: 0 admits the request,
   * more is answered 429 with Retry-After. Asked once per request of a known key, and of a registered origin or with
   * a sending secret, whose headers are right.
   *
   * @default {() => 0}
   */
  readonly throttle?: (apiKey: string) => number | Promise<number>;
  /**
   * Hears of the events stored now and of the name of their key, before the answer leaves; in full, identities included.
   * Not called where the sink can't tell which they are.
   */
  readonly onEvents?: (events: readonly StoredEvent[], keyName: string) => void;
  /** Hears what became of each POST of events, before the answer leaves. */
  readonly onOutcome?: (outcome: IngestOutcome) => void;
  /**
   * Hears why the answer was `unavailable`: what the sink threw. A body that breaks off is an outcome, no error. Hears
   * of schemas of the plan that threw, too: an error with the name `PlanFault`.
   */
  readonly onError?: (error: unknown) => void;
}
