import { assertEquals } from "@std/assert";
import { resolveConfig } from "../../src/config.ts";
import { namesOf, startVisit, warningsOf } from "../support/visit.ts";

Deno.test("SPEC 8 maxBatchSize: effective range is 1 to 100", async () => {
  assertEquals(await batchSizes(1, 2), [1, 1]);
  assertEquals(await batchSizes(100, 101), [100, 1]);
});

Deno.test("SPEC 8 maxBatchSize: fractional values are floored", async () => {
  assertEquals(await batchSizes(2.9, 5), [2, 2, 1]);
});

Deno.test("SPEC 8 maxBatchSize: values below 1 are treated as 1", async () => {
  assertEquals(await batchSizes(0.99, 2), [1, 1]);
  assertEquals(await batchSizes(0, 2), [1, 1]);
  assertEquals(await batchSizes(-7, 2), [1, 1]);
});

Deno.test("SPEC 8 maxBatchSize: values above 100 are capped to 100", async () => {
  assertEquals(await batchSizes(101, 101), [100, 1]);
  assertEquals(await batchSizes(1e9, 101), [100, 1]);
});

Deno.test("SPEC 8 maxBatchSize: capping gives a one-time warning", () => {
  const { page, client } = startVisit({ maxBatchSize: 101 });

  for (let i = 0; i < 300; i++) client.step("a");

  assertEquals(warningsOf(page).length, 1);
  client.close();
});

Deno.test("SPEC 8 maxBatchSize: no warning up to 100, nor below 1", () => {
  const hundred = startVisit({ maxBatchSize: 100 });
  const zero = startVisit({ maxBatchSize: 0 });

  assertEquals([warningsOf(hundred.page), warningsOf(zero.page)], [[], []]);
  hundred.client.close();
  zero.client.close();
});

Deno.test("SPEC 8 maxBatchSize: no finite number is the default, 50", async () => {
  assertEquals(await batchSizes(NaN, 51), [50, 1]);
  assertEquals(await batchSizes(Infinity, 51), [50, 1]);
  assertEquals(await batchSizes("20", 51), [50, 1]);
  assertEquals(await batchSizes(null, 51), [50, 1]);
});

Deno.test("SPEC 8 events per ingest request: at most 100, of aggregates too", async () => {
  const { client, page, accepted } = startVisit({ maxBatchSize: 100, trackPageviews: "auto", consent: "pending" });

  for (let i = 0; i < 120; i++) page.pushState(`/${i}`);
  await accepted();

  assertEquals(page.requests.map(({ body }) => body.events.length), [100, 21]);
  client.close();
});

Deno.test("SPEC 8 maxBatchSize default: 50", () => {
  assertEquals(resolveConfig({ apiKey: "pk" }).maxBatchSize, 50);
});

Deno.test("SPEC 8 flushInterval default: 5000 ms", () => {
  assertEquals(resolveConfig({ apiKey: "pk" }).flushInterval, 5000);
});

Deno.test("SPEC 8 flushInterval: no validation or clamping", () => {
  assertEquals(resolveConfig({ apiKey: "pk", flushInterval: 0 }).flushInterval, 0);
  assertEquals(resolveConfig({ apiKey: "pk", flushInterval: 1e12 }).flushInterval, 1e12);
  assertEquals(resolveConfig({ apiKey: "pk", flushInterval: NaN }).flushInterval, NaN);
});

Deno.test("SPEC 8 event name length: 1-100 characters", async () => {
  const { client, accepted } = startVisit();

  client.step("");
  client.step("a");
  client.step("b".repeat(100));
  client.step("c".repeat(101));

  assertEquals(namesOf(await accepted()), ["a", "b".repeat(100)]);
  client.close();
});

Deno.test("SPEC 8 event name length: characters are code points", async () => {
  const { client, accepted } = startVisit();

  client.step("🍵".repeat(100));
  client.step("🍵".repeat(101));

  assertEquals(namesOf(await accepted()), ["🍵".repeat(100)]);
  client.close();
});

/** Returns how many events are in each request for that many steps. */
async function batchSizes(maxBatchSize: unknown, steps: number): Promise<readonly number[]> {
  const { client, page, accepted } = startVisit({ maxBatchSize: maxBatchSize as number });
  for (let i = 0; i < steps; i++) client.step("a");
  await accepted();
  client.close();
  return page.requests.map(({ body }) => body.events.length);
}
