/**
 * What every sink has to keep to, run against each of them.
 *
 * @module
 */
import { assertEquals, assertRejects } from "@std/assert";
import {
  createIngest,
  type EventSink,
  type ReceivedBatch,
  type StoredEvent,
  type StoreResult,
} from "../../../src/ingest/mod.ts";
import { CONTEXT, FULL, IDENTITY, KEY, manyEvents, ORIGIN, OTHER_KEY, post, RECEIVED_AT } from "../fixtures.ts";

/** A sink of ours: it never turns a batch down, and lets its events be read. */
export interface ReadableSink extends EventSink {
  store(batch: ReceivedBatch): Promise<StoreResult>;
  events(): Promise<readonly StoredEvent[]>;
}

/** A sink that counts pageviews as well. */
export interface AllowanceSink extends ReadableSink {
  pageviews(apiKey: string, month: string): Promise<number>;
}

export const STORED: StoredEvent = {
  id: "e-1",
  name: "Checkout started",
  collection: "full",
  timestamp: "2026-03-01T10:00:00.000Z",
  receivedAt: RECEIVED_AT,
  properties: { total: 12.5, items: [{ sku: "s-1" }], none: null },
  sessionId: "s-1",
  identity: IDENTITY,
  context: CONTEXT,
  batchId: "b-1",
  place: 0,
  dimensions: { browser: "Chrome", version: "Chrome 142", system: "Windows", device: "desktop", country: "DE" },
};

export const STORED_PAGEVIEW: StoredEvent = {
  id: "p-1",
  name: "$pageview",
  collection: "aggregate",
  timestamp: "2026-03-01T10:00:00.000Z",
  receivedAt: RECEIVED_AT,
  place: 0,
};

/** Builds a batch of the events. */
export function batchOf(events: readonly StoredEvent[], apiKey: string = KEY): ReceivedBatch {
  return { apiKey, events };
}

/** Registers the tests of a sink. */
export function testSink(name: string, create: () => Promise<ReadableSink>): void {
  const withSink = (use: (sink: ReadableSink) => Promise<void>): Promise<void> => withOpen(create, use);

  Deno.test(`${name} gives back what it stored, in the order of arrival`, () =>
    withSink(async (sink) => {
      const second = { ...STORED, id: "e-0" };

      const result = await sink.store(batchOf([STORED, second]));
      await sink.store(batchOf([STORED_PAGEVIEW]));

      assertEquals(result, { accepted: 2, duplicates: 0, events: [STORED, second] });
      assertEquals(await sink.events(), [STORED, second, STORED_PAGEVIEW]);
    }));

  Deno.test(`${name} stores an event once per key and id`, () =>
    withSink(async (sink) => {
      await sink.store(batchOf([STORED]));

      const { pageviewsThisMonth: _, ...again } = await sink.store(
        batchOf([STORED, STORED_PAGEVIEW, { ...STORED, name: "Changed" }]),
      );
      const other = await sink.store(batchOf([STORED], OTHER_KEY));

      assertEquals(again, { accepted: 1, duplicates: 2, events: [STORED_PAGEVIEW] });
      assertEquals(other, { accepted: 1, duplicates: 0, events: [STORED] });
      assertEquals(await sink.events(), [STORED, STORED_PAGEVIEW, STORED]);
    }));

  Deno.test(`${name} keeps the first of two events with one id in a request`, () =>
    withSink(async (sink) => {
      const result = await sink.store(batchOf([STORED, { ...STORED, name: "Second" }]));

      assertEquals(result, { accepted: 1, duplicates: 1, events: [STORED] });
      assertEquals(await sink.events(), [STORED]);
    }));

  Deno.test(`${name} takes no event for another whose id looks alike`, () =>
    withSink(async (sink) => {
      const ids = [
        "a",
        "A",
        "a ",
        "a\0b",
        "a\0c",
        "ä",
        "a\u0308",
        "1",
        "1.0",
        "__proto__",
        "😀",
        "'; DROP TABLE events",
      ];

      const result = await sink.store(batchOf(ids.map((id) => ({ ...STORED, id }))));

      assertEquals([result.accepted, result.duplicates], [ids.length, 0]);
      assertEquals((await sink.events()).map(({ id }) => id), ids);
    }));

  Deno.test(`${name} keeps text that UTF-8 can't hold`, () =>
    withSink(async (sink) => {
      const odd = { ...STORED, name: "\ud800", properties: { "\udfff": "\0\u2028" } };

      await sink.store(batchOf([odd]));

      assertEquals(await sink.events(), [odd]);
    }));

  Deno.test(`${name} stores nothing of an empty request`, () =>
    withSink(async (sink) => {
      assertEquals(await sink.store(batchOf([])), { accepted: 0, duplicates: 0, events: [] });
      assertEquals(await sink.events(), []);
    }));

  Deno.test(`${name} stores concurrent duplicates once`, () =>
    withSink(async (sink) => {
      const ingest = createIngest({ keys: [{ apiKey: KEY, origins: [ORIGIN] }], sink });
      const overlapping = (first: number) => ({ ...FULL, events: manyEvents(40).slice(first, first + 20) });

      const answers = await Promise.all(
        [0, 10, 20, 0, 10, 20, 0, 10, 20, 5].map((first) => ingest(post(overlapping(first)))),
      );
      const counts = await Promise.all(answers.map((answer) => answer.json()));

      assertEquals(counts.reduce((sum, { accepted }) => sum + accepted, 0), 40);
      assertEquals(counts.reduce((sum, { duplicates }) => sum + duplicates, 0), 160);
      assertEquals(new Set((await sink.events()).map(({ id }) => id)).size, 40);
      assertEquals((await sink.events()).length, 40);
    }));

  Deno.test(`${name} can be asked whether it takes events`, () =>
    withSink(async (sink) => {
      assertEquals(await sink.check?.(), undefined);
    }));

  Deno.test(`${name} rejects once it is closed, and closes twice`, async () => {
    const sink = await create();
    await sink.close();
    await sink.close();

    await assertRejects(() => sink.store(batchOf([STORED])), Error);
    await assertRejects(async () => await sink.check?.(), Error);
  });
}

/** Registers the test of a sink that counts pageviews. */
export function testPageviews(name: string, create: () => Promise<AllowanceSink>): void {
  Deno.test(`${name} counts pageviews of both forms by key and by the month of their arrival`, () =>
    withOpen(create, async (sink) => {
      const view = (id: string, changes: Partial<StoredEvent> = {}) => ({ ...STORED_PAGEVIEW, id, ...changes });
      const nextMonth = { receivedAt: "2026-04-01T00:00:00.000Z", timestamp: "2026-03-31T23:59:59.000Z" };

      const first = await sink.store(batchOf([view("v-1"), view("v-2", { collection: "full" }), STORED]));
      const again = await sink.store(batchOf([view("v-2"), view("v-3")]));
      const next = await sink.store(batchOf([view("v-4", nextMonth)]));
      const other = await sink.store(batchOf([view("v-1")], OTHER_KEY));
      const none = await sink.store(batchOf([view("v-1"), { ...STORED, id: "e-9" }]));

      const counts = [first, again, next, other, none].map(({ pageviewsThisMonth }) => pageviewsThisMonth);
      assertEquals(counts, [2, 3, 1, 1, undefined]);
      assertEquals(await sink.pageviews(KEY, "2026-03"), 3);
      assertEquals(await sink.pageviews(KEY, "2026-04"), 1);
      assertEquals(await sink.pageviews(KEY, "2026-05"), 0);
    }));
}

async function withOpen<S extends ReadableSink>(
  create: () => Promise<S>,
  use: (sink: S) => Promise<void>,
): Promise<void> {
  const sink = await create();
  try {
    await use(sink);
  } finally {
    await sink.close();
  }
}
