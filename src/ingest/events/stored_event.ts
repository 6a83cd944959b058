import type { EventContext, Identity, ViolationKind } from "@vendor/sdk/contract";

/** Why the reports leave an event out: a crawler sent it, or one of the site's own people. */
export type EventFlag = "bot" | "own";

/** One event as stored: what the contract knows, nothing else. */
export interface StoredEvent {
  /** Event ID, unique per key. */
  readonly id: string;
  /** Event name. */
  readonly name: string;
  /** Whether it came as a full event or as an aggregate pageview. */
  readonly collection: "full" | "aggregate";
  /** ISO 8601 UTC time of the call in the browser. */
  readonly timestamp: string;
  /** ISO 8601 UTC time at which the ingest received it, the same for all events of a request. */
  readonly receivedAt: string;
  /** Properties, present only when supplied. */
  readonly properties?: Readonly<Record<string, unknown>>;
  /** Session; absent from aggregates. */
  readonly sessionId?: string;
  /** Identity; absent from aggregates. */
  readonly identity?: Identity;
  /** Context as sent. */
  readonly context?: EventContext;
  /**
   * Origin of the key's only site, for a step of a backend that names no page. The reports take it to be of that site.
   */
  readonly site?: string;
  /** Batch it came in; absent from aggregates. */
  readonly batchId?: string;
  /**
   * Its place in the `events` of its request, from 0 to 99. It orders events of the same `timestamp`, before their ids do.
   *
   * @default {0}
   */
  readonly place?: number;
  /**
   * Milliseconds by which the visitor's clock was behind that of the ingest, or ahead, where it is negative: the time of arrival less
   * the request's `sentAt`. Present only over 5 minutes, and never in aggregates. The reports take an event to be that much later than its `timestamp`.
   */
  readonly clockOffsetMs?: number;
  /** Kind of the breach; present only where the ingest has a plan and the event breaks it. */
  readonly violation?: ViolationKind;
  /**
   * Decided when it arrives: by the agent and the address of its request, which aren't kept, and by its own ids and path.
   * Most events have none.
   */
  readonly flag?: EventFlag;
  /**
   * Classes of its sender, those that the key's `dimensions` ask for: made when it arrives, of the request's agent and of the
   * country that a trusted proxy names, neither of which is kept. Of full events alone.
   */
  readonly dimensions?: {
    /** Family of the browser: `Chrome`. */
    readonly browser?: string;
    /** Family and major version of the browser: `Chrome 142`. */
    readonly version?: string;
    /** Family of the system: `Windows`. */
    readonly system?: string;
    /** `phone`, `tablet` or `desktop`. */
    readonly device?: string;
    /** Country in two letters (ISO 3166-1): `DE`. */
    readonly country?: string;
  };
}

/** Name of pageviews in both forms (SPEC 2.8, 6). */
export const PAGEVIEW_NAME = "$pageview";

/** Returns whether an event is a pageview, full or aggregate. */
export function isPageview({ name }: Pick<StoredEvent, "name">): boolean {
  return name === PAGEVIEW_NAME;
}

/** Returns the month in UTC that an ISO time is in, `2026-01`: the period of the allowance. */
export function monthOf(time: string): string {
  return time.slice(0, "2026-01".length);
}
