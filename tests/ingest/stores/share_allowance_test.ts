import { assertEquals } from "@std/assert";
import { type EventSink, shareAllowance, type StoreResult } from "../../../src/ingest/mod.ts";
import { OTHER_KEY } from "../fixtures.ts";
import { batchOf, STORED, STORED_PAGEVIEW } from "./sink_contract.ts";

/** A sink that stores everything, and counts nothing. */
const SINK: EventSink = {
  store: ({ events }) => Promise.resolve({ accepted: events.length, duplicates: 0, events }),
  close: () => Promise.resolve(),
};

let made = 0;
const view = () => ({ ...STORED_PAGEVIEW, id: `view-${made++}` });

Deno.test("shareAllowance() adds what it stored since its last look to what the store has, a minute old at most", async () => {
  let [nowMs, stored] = [0, 100];
  const looks: string[] = [];
  const counter = {
    countPageviews: (apiKey: string, month: string) => Promise.resolve((looks.push(`${apiKey} ${month}`), stored)),
  };
  const sink = shareAllowance(SINK, counter, { now: () => nowMs });
  const count = async (...events: Parameters<typeof batchOf>): Promise<number | undefined> => {
    const { pageviewsThisMonth } = await sink.store(batchOf(...events)) as StoreResult;
    await Promise.resolve();
    return pageviewsThisMonth;
  };

  const first = await count([view()]);
  const second = await count([view(), view(), { ...STORED, id: "e-9" }]);
  stored = 500;
  nowMs = 59_999;
  const third = await count([view()]);
  nowMs = 60_000;
  const fourth = await count([view()]);
  const fifth = await count([view()]);
  const other = await count([view()], OTHER_KEY);
  const none = await count([{ ...STORED, id: "e-10" }]);

  assertEquals([first, second, third, fourth, fifth], [1, 102, 103, 104, 501]);
  assertEquals([other, none], [1, undefined]);
  assertEquals(looks, ["pk_test_1 2026-03", "pk_test_1 2026-03", "pk_test_2 2026-03"]);
});

Deno.test("shareAllowance() goes on with its own count where the store can't be asked", async () => {
  const errors: unknown[] = [];
  const counter = { countPageviews: () => Promise.reject(new Error("away")) };
  const sink = shareAllowance(SINK, counter, { onError: (error) => errors.push(String(error)) });

  const results = [await sink.store(batchOf([view()])), await sink.store(batchOf([view()]))];
  await sink.close();

  assertEquals(results.map((result) => "accepted" in result && result.pageviewsThisMonth), [1, 2]);
  assertEquals(errors, ["Error: pageviews can't be counted: away"]);
});

Deno.test("shareAllowance() leaves the count to a sink that keeps one", async () => {
  const counting: EventSink = {
    ...SINK,
    store: () => Promise.resolve({ accepted: 1, duplicates: 0, pageviewsThisMonth: 7 }),
  };
  const sink = shareAllowance(counting, { countPageviews: () => Promise.resolve(100) });

  const result = await sink.store(batchOf([view()]));

  assertEquals("accepted" in result && result.pageviewsThisMonth, 7);
});
