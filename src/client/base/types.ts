/**
 * The data shapes of the specification: what an application passes in and what travels on the wire.
 *
 * @module
 */
// SPEC 2.3
/** The visitor's analytics choice. */
export type ConsentState = "pending" | "granted" | "denied";

// SPEC 2.2
/** Resolved configuration after defaults. */
export interface Config {
  /** Publishable key, sent as the header `X-API-Key` and never in a body. Non-empty. */
  readonly apiKey: string;
  /**
   * Ingest URL, used verbatim. `https:`, or `http:` on `localhost`, `127.0.0.1` and `[::1]`.
   *
   * @default {"https://ingest.vendor.example/v1/events"}
   */
  readonly endpoint: string;
  /**
   * Milliseconds between automatic flushes, used as given: neither validated nor clamped.
   *
   * @default {5000}
   */
  readonly flushInterval: number;
  // SPEC 8
  /**
   * Events per request as configured. The effective value is clamped to 1-100.
   *
   * @default {50}
   */
  readonly maxBatchSize: number;
  // SPEC 3
  /**
   * Automatic pageviews: `false` none, `true` full ones under granted consent only,
   * `"auto"` aggregate ones while consent is pending and full ones once it is granted.
   *
   * @default {false}
   */
  readonly trackPageviews: boolean | "auto";
  /**
   * Writes lifecycle messages prefixed `[Vendor]` to the console. Warnings come regardless.
   *
   * @default {false}
   */
  readonly debug?: boolean;
}

// SPEC 2.1
/** Configuration that `Vendor.init()` takes: only `apiKey` is required. */
export interface InitConfig extends Partial<Omit<Config, "apiKey">> {
  /** Publishable key. Non-empty. */
  readonly apiKey: string;
  /**
   * The visitor's choice at startup. The SDK doesn't store it: pass the saved choice on every load.
   *
   * @default {"granted"}
   */
  readonly consent?: ConsentState;
}

// SPEC 2.4
/**
 * Who an event belongs to.
 *
 * @example
 * ```ts
 * import type { Identity } from "@vendor/sdk";
 *
 * const identity: Identity = { userId: "user-42", traits: { plan: "pro" } };
 * ```
 */
export interface Identity {
  /** Current user identifier; null for an anonymous session. */
  readonly userId: string | null;
  /** Random visitor identifier, a UUID v4. Absent from aggregate pageviews. */
  readonly anonymousId?: string;
  /** Metadata about the user, replaced wholesale by each `identify()`. At most 8 KiB of JSON. */
  readonly traits?: Readonly<Record<string, unknown>>;
}

// SPEC 2.5
/**
 * Environment metadata captured when an event is tracked.
 *
 * @example
 * ```ts
 * import type { EventContext } from "@vendor/sdk";
 *
 * const context: EventContext = { sdkName: "@vendor/sdk", sdkVersion: "0.1.0", pageUrl: "https://shop.example/teas" };
 * ```
 */
export interface EventContext {
  /** Always `@vendor/sdk`. */
  readonly sdkName: "@vendor/sdk";
  /** SDK version, the same as in the header `X-Vendor-SDK-Version`. */
  readonly sdkVersion: string;
  /**
   * Full URL; origin and path only in aggregate pageviews. Of one over 8,192
   * UTF-16 units origin and path stay, as far as those fit. Absent outside the browser.
   */
  readonly pageUrl?: string;
  /**
   * The document's referrer for the first pageview, the previous pageview's URL afterwards; the
   * origin only in aggregate pageviews. Absent when empty; a long one is as a long `pageUrl`.
   */
  readonly referrer?: string;
  /** `document.title`, absent when empty or over 8,192 UTF-16 units. */
  readonly pageTitle?: string;
  /** `screen.width` in CSS pixels. */
  readonly screenWidth?: number;
  /** `screen.height` in CSS pixels. */
  readonly screenHeight?: number;
}

// SPEC 2.6
/**
 * A single tracked event as queued and as sent.
 *
 * @example
 * ```ts
 * import type { StepEvent } from "@vendor/sdk";
 *
 * const event: StepEvent = {
 *   id: "3f2a6f0e-6b0e-4d7f-9a53-0d8f6a1f2b11",
 *   name: "checkout",
 *   properties: { items: 3 },
 *   timestamp: "2026-01-31T12:00:00.000Z",
 * };
 * ```
 */
export interface StepEvent {
  /** Unique event ID, a random UUID. */
  readonly id: string;
  /** Event name, 1-100 characters (Unicode code points). */
  readonly name: string;
  /** Deep copy of the properties passed to `step()`, present only when supplied. At most 32 KiB of JSON. */
  readonly properties?: Readonly<Record<string, unknown>>;
  /** ISO 8601 UTC time of the call. */
  readonly timestamp: string;
  /** Session the event belongs to, a UUID v4. */
  readonly sessionId?: string;
  /** Identity at the time of the call. */
  readonly identity?: Identity;
  /** Context at the time of the call. */
  readonly context?: EventContext;
}

// SPEC 2.7
/**
 * JSON body of a full analytics request.
 *
 * @example
 * ```ts
 * import type { EventRequestPayload } from "@vendor/sdk";
 *
 * function namesOf({ events }: EventRequestPayload): string[] {
 *   return events.map(({ name }) => name);
 * }
 * ```
 */
export interface EventRequestPayload {
  /** Discriminant; the SDK always sends `"event"`. */
  readonly type: "identity" | "event";
  /** Random UUID of the batch, the same in every retry. */
  readonly batchId: string;
  /** Session ID of the first event, or the current one of an empty batch. */
  readonly sessionId: string;
  /** Identity of the first event, or the current one of an empty batch. */
  readonly identity: Identity;
  /** The events, at most 100. */
  readonly events: readonly StepEvent[];
  /** ISO 8601 UTC time at which this attempt was serialized. */
  readonly sentAt: string;
  /** Context of the first event, or the current one of an empty batch. */
  readonly context: EventContext;
}

// SPEC 2.7
/** Alias of {@linkcode EventRequestPayload}. */
export type Payload = EventRequestPayload;

// SPEC 2.8
/**
 * JSON body of pageviews collected with `trackPageviews: "auto"` while consent is pending.
 *
 * @example
 * ```ts
 * import type { AggregatePageviewPayload, EventRequestPayload } from "@vendor/sdk";
 *
 * function isAggregate(body: EventRequestPayload | AggregatePageviewPayload): body is AggregatePageviewPayload {
 *   return "collection" in body;
 * }
 * ```
 */
export interface AggregatePageviewPayload {
  /** Always `"event"`. */
  readonly type: "event";
  /** Always `"aggregate"`. */
  readonly collection: "aggregate";
  /** Random UUID of the batch, the same in every retry. */
  readonly batchId: string;
  /** The pageviews, each named `$pageview`, without identity or session. At most 100. */
  readonly events: readonly Pick<StepEvent, "id" | "name" | "timestamp" | "context">[];
  /** ISO 8601 UTC time at which this attempt was serialized. */
  readonly sentAt: string;
}
