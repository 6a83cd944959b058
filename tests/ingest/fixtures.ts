import type { EventSink } from "../../src/ingest/mod.ts";
import type {
  AggregatePageviewPayload,
  EventContext,
  EventRequestPayload,
  Identity,
  StepEvent,
} from "../../src/client/base/types.ts";

export const URL_OF_INGEST = "https://ingest.vendor.example/v1/events";

export const KEY = "pk_test_1";

export const OTHER_KEY = "pk_test_2";

export const ORIGIN = "https://shop.example";

export const RECEIVED_AT = "2026-03-01T10:00:05.000Z";

export const NOW_MS: number = Date.parse(RECEIVED_AT);

export const IDENTITY: Identity = { userId: "u-1", anonymousId: "a-1", traits: { plan: "pro" } };

export const CONTEXT: EventContext = {
  sdkName: "@vendor/sdk",
  sdkVersion: "0.1.0",
  pageUrl: "https://shop.example/cart?step=2#pay",
  referrer: "https://search.example/?q=shoes",
  pageTitle: "Cart",
  screenWidth: 1280,
  screenHeight: 720.5,
};

export const AGGREGATE_CONTEXT: EventContext = {
  sdkName: "@vendor/sdk",
  sdkVersion: "0.1.0",
  pageUrl: "https://shop.example/cart",
  referrer: "https://search.example",
};

export const EVENT: StepEvent = {
  id: "e-1",
  name: "Checkout started",
  properties: { total: 12.5, items: [{ sku: "s-1" }] },
  timestamp: "2026-03-01T10:00:00.000Z",
  sessionId: "s-1",
  identity: IDENTITY,
  context: CONTEXT,
};

export const FULL: EventRequestPayload = {
  type: "event",
  batchId: "b-1",
  sessionId: "s-1",
  identity: IDENTITY,
  events: [EVENT],
  sentAt: "2026-03-01T10:00:04.000Z",
  context: CONTEXT,
};

export const PAGEVIEW: AggregatePageviewPayload["events"][number] = {
  id: "0b0c8a4e-6f0e-4c0a-9d39-5f2f6f0a0001",
  name: "$pageview",
  timestamp: "2026-03-01T10:00:00.000Z",
  context: AGGREGATE_CONTEXT,
};

export const AGGREGATE: AggregatePageviewPayload = {
  type: "event",
  collection: "aggregate",
  batchId: "b-2",
  events: [PAGEVIEW],
  sentAt: "2026-03-01T10:00:04.000Z",
};

/** Returns the object without one of its fields. */
export function without(source: object, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(source).filter(([other]) => other !== name));
}

/** Returns that many events with ids of their own, starting with `<prefix>-0`. */
export function manyEvents(count: number, prefix = "m"): readonly StepEvent[] {
  return Array.from({ length: count }, (_, index) => ({ ...EVENT, id: `${prefix}-${index}` }));
}

/** Headers of a request as the SDK sends it from a registered site. A null takes one away. */
export function headersOf(changes: Readonly<Record<string, string | null>> = {}): Headers {
  const headers = new Headers({
    "Content-Type": "application/json",
    "X-API-Key": KEY,
    "X-Vendor-SDK-Version": "0.1.0",
    "Origin": ORIGIN,
  });
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  }
  return headers;
}

/** Builds the POST of a body, text as it is and anything else as JSON. */
export function post(body: unknown, changes: Readonly<Record<string, string | null>> = {}): Request {
  const isRaw = typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
  return new Request(URL_OF_INGEST, {
    method: "POST",
    headers: headersOf(changes),
    body: isRaw ? body as BodyInit : JSON.stringify(body),
  });
}

/** A sink that fails with the error. */
export function createFailingSink(error: unknown): EventSink {
  return { store: () => Promise.reject(error), close: () => Promise.resolve() };
}
