/**
 * What a user of the ingest passes in and hears back.
 *
 * @module
 */
import type { Refusal, RefusalCode } from "./refusal.ts";
import type { EventSink, StoredEvent } from "./sink.ts";

/** A publishable key and the sites that may use it. */
export interface IngestKey {
  /** Value of the header `X-API-Key` (SPEC 5). Non-empty. */
  readonly apiKey: string;
  /**
   * Origins that may send with the key, as browsers serialize them: `https://shop.example`, without a path.
   * `"null"` stands for opaque origins such as sandboxed frames. `"any"` skips the check, and alone admits
   * senders that name no origin.
   */
  readonly origins: readonly string[] | "any";
}

/** An event was stored for the first time. */
export interface AcceptedOutcome {
  /** Discriminant. */
  readonly kind: "accepted";
  /** The event as stored. */
  readonly event: StoredEvent;
}

/** A request carried events that were stored before. */
export interface DuplicatesOutcome {
  /** Discriminant. */
  readonly kind: "duplicates";
  /** How many. At least 1. */
  readonly count: number;
}

/** A request was refused. Holds nothing of its key, its body or an identity. */
export interface RefusedOutcome {
  /** Discriminant. */
  readonly kind: "refused";
  /** HTTP status of the answer. */
  readonly status: Refusal["status"];
  /** Machine-readable reason. */
  readonly code: RefusalCode;
  /** The sentence that the sender got. */
  readonly message: string;
}

/** What became of a request, in the order in which it happened. */
export type IngestOutcome = AcceptedOutcome | DuplicatesOutcome | RefusedOutcome;

/** What {@linkcode createIngest} takes. */
export interface IngestOptions {
  /** Keys that may send. At least one. */
  readonly keys: readonly IngestKey[];
  /** Where events are stored. The caller closes it. */
  readonly sink: EventSink;
  /**
   * Path that is answered; every other one is 404 (SPEC 4.1).
   *
   * @default {"/v1/events"}
   */
  readonly path?: string;
  /**
   * Current time in milliseconds since the Unix epoch, for `receivedAt`.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
  /**
   * Says how many milliseconds the sender of a key has to wait before it may send: 0 admits the request,
   * more is answered 429 with Retry-After. Asked once per request of a known key and a registered origin.
   *
   * @default {() => 0}
   */
  readonly throttle?: (apiKey: string) => number | Promise<number>;
  /** Hears of every accepted event, every count of duplicates and every refusal, before the answer leaves. */
  readonly onOutcome?: (outcome: IngestOutcome) => void;
  /** Hears why the answer was `unavailable`: what the sink, or the reading of the body, threw. */
  readonly onError?: (error: unknown) => void;
}
