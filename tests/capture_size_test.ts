import { assert, assertEquals, assertLess } from "@std/assert";
import { arrivalOf } from "./support/hostile.ts";
import { namesOf, only, startVisit, warningsOf } from "./support/visit.ts";

/** A call of the SDK with any value ends within this time, with much room for a busy machine. */
const MAX_CALL_MS = 1500;

const FRAME_BYTES = '{"text":""}'.length;

Deno.test("step() takes properties of exactly 32 KiB of JSON", async () => {
  const properties = { text: "a".repeat(32_768 - FRAME_BYTES) };

  assertEquals((await arrivalOf(properties)).properties, properties);
});

Deno.test("step() drops an event with properties of one byte more, with a warning", async () => {
  const { isThere, warnings } = await arrivalOf({ text: "a".repeat(32_769 - FRAME_BYTES) });

  assertEquals([isThere, warnings], [false, 1]);
});

Deno.test("step() counts properties in UTF-8 bytes", async () => {
  const threeBytes = (32_768 - FRAME_BYTES) / 3;
  assert(Number.isInteger(threeBytes));

  const fits = await arrivalOf({ text: "茶".repeat(threeBytes) });
  const tooLarge = await arrivalOf({ text: "茶".repeat(threeBytes) + "a" });

  assertEquals([fits.isThere, tooLarge.isThere], [true, false]);
});

Deno.test("step() counts properties as they are escaped", async () => {
  const escaped = Math.floor((32_768 - FRAME_BYTES) / 6);

  const fits = await arrivalOf({ text: "\u0001".repeat(escaped) });
  const tooLarge = await arrivalOf({ text: "\u0001".repeat(escaped + 1) });

  assertEquals([fits.isThere, tooLarge.isThere], [true, false]);
});

Deno.test("step() drops an event with a string of 1 MB, with one warning, and counts it", async () => {
  const { client, page, accepted } = startVisit();

  client.step("large", { text: "x".repeat(1_000_000) });
  client.step("larger", { text: "x".repeat(2_000_000) });
  client.step("next");

  assertEquals(namesOf(await accepted()), ["next"]);
  assertEquals([warningsOf(page).length, client.drops().too_large], [1, 2]);
  client.close();
});

Deno.test("step() survives 10,000-deep nesting", async () => {
  let value: Record<string, unknown> = {};
  for (let i = 0; i < 10_000; i++) value = { value };

  const { isThere, properties } = await arrivalOf(value);

  assert(isThere);
  assert(JSON.stringify(properties).includes("[Truncated]"));
});

Deno.test("step() survives 10,000-deep arrays, maps and errors", async () => {
  let list: unknown = [];
  let map: unknown = new Map();
  let error: unknown = new Error("bottom");
  for (let i = 0; i < 10_000; i++) {
    list = [list];
    map = new Map([["map", map]]);
    error = new Error("above", { cause: error });
  }

  assert((await arrivalOf({ list, map, error })).isThere);
});

Deno.test("step() doesn't hang on a wide graph with 2^30 paths", async () => {
  let node: Record<string, unknown> = { leaf: true };
  for (let i = 0; i < 30; i++) node = { left: node, right: node };

  const { isThere, tookMs } = await arrivalOf(node);

  assertEquals(isThere, false);
  assertLess(tookMs, MAX_CALL_MS);
});

Deno.test("step() doesn't hang on a huge sparse array", async () => {
  const sparse: unknown[] = [];
  sparse[2 ** 32 - 2] = "end";

  const { isThere, tookMs } = await arrivalOf({ sparse });

  assertEquals(isThere, false);
  assertLess(tookMs, MAX_CALL_MS);
});

Deno.test("step() doesn't hang on a huge typed array", async () => {
  const { isThere, tookMs } = await arrivalOf({ bytes: new Uint8Array(100_000_000) });

  assertEquals(isThere, false);
  assertLess(tookMs, MAX_CALL_MS);
});

Deno.test("step() keeps a small typed array as JSON does", async () => {
  const { properties } = await arrivalOf({ bytes: new Uint8Array([1, 2]) });

  assertEquals(properties, { bytes: { 0: 1, 1: 2 } });
});

Deno.test("step() doesn't hang on an array of many holes", async () => {
  const { isThere, tookMs } = await arrivalOf({ list: new Array(1_000_000) });

  assertEquals(isThere, false);
  assertLess(tookMs, MAX_CALL_MS);
});

Deno.test("step() doesn't hang on getters that lead on and on", async () => {
  const endless = (): object => ({
    get left() {
      return endless();
    },
    get right() {
      return endless();
    },
  });

  const { isThere, tookMs } = await arrivalOf(endless());

  assertEquals(isThere, false);
  assertLess(tookMs, MAX_CALL_MS);
});

Deno.test("step() doesn't hang on a name of 100 MB", () => {
  const { client, page } = startVisit();
  const name = "x".repeat(100_000_000);
  name.charCodeAt(0); // the engine makes the text only when it's first looked at
  const startedMs = performance.now();

  client.step(name);

  assertLess(performance.now() - startedMs, MAX_CALL_MS);
  assert(only(warningsOf(page)).startsWith("[Vendor] "));
  client.close();
});

Deno.test("no context field costs an event: a huge title, URL and referrer are left out", async () => {
  const long = "x".repeat(1_000_000);
  const { client, accepted } = startVisit({ trackPageviews: true }, {
    url: `https://shop.example/?q=${long}`,
    referrer: `https://search.example/?q=${long}`,
    title: long,
  });

  client.step("a");

  const events = await accepted();
  assertEquals(namesOf(events), ["$pageview", "a"]);
  assertEquals(events.map(({ context }) => [context?.pageUrl, context?.referrer, context?.pageTitle]), [
    [undefined, undefined, undefined],
    [undefined, undefined, undefined],
  ]);
  client.close();
});

Deno.test("no trait costs an event: traits of 8 KiB that need 48 KiB as JSON are left out", async () => {
  const { client, accepted } = startVisit();

  client.identify("user-1", { text: "\u0001".repeat(8000) });
  client.step("a");

  const { name, identity } = only(await accepted());
  assertEquals([name, identity?.userId, identity?.traits], ["a", "user-1", undefined]);
  client.close();
});

Deno.test("step() goes on without properties that are a long text", async () => {
  const { client, accepted } = startVisit();

  client.step("a", "x".repeat(40_000) as unknown as object);

  assertEquals((await accepted()).map(({ name, properties }) => [name, properties]), [["a", undefined]]);
  assertEquals(client.drops(), {});
  client.close();
});
