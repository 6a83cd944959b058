import { assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { createFairQueue } from "../../../../src/ingest/stores/file/fair_queue.ts";

Deno.test("createFairQueue() does one piece of work of a caller at a time, and lets nobody keep another waiting", async () => {
  const queue = createFairQueue({ most: 1, maxWaitMs: 1000 });
  const seen: string[] = [];
  const work = (name: string) => async (): Promise<string> => {
    seen.push(`${name} starts`);
    await new Promise((resolve) => setTimeout(resolve, 0));
    seen.push(`${name} ends`);
    if (name === "a-2") throw new Error("a-2 fails");
    return name;
  };

  const results = await Promise.allSettled(
    ["a-1", "a-2", "a-3", "b-1"].map((name) => queue.add(name.slice(0, 1), work(name))),
  );

  assertEquals(seen, ["a-1", "b-1", "a-2", "a-3"].flatMap((name) => [`${name} starts`, `${name} ends`]));
  assertEquals(results.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled", "fulfilled"]);
});

Deno.test("createFairQueue() rejects what waits too long, and goes on with the rest", async () => {
  using time = new FakeTime();
  const queue = createFairQueue({ most: 2, maxWaitMs: 1000 });
  const hanging = Promise.withResolvers<string>();

  const first = queue.add("a", () => hanging.promise);
  const second = assertRejects(
    () => queue.add("a", () => Promise.resolve("never")),
    Error,
    "too many reports at a time",
  );
  const other = await queue.add("b", () => Promise.resolve("other"));
  await time.tickAsync(600);
  const third = queue.add("a", () => Promise.resolve("third"));
  await time.tickAsync(400);
  await second;
  hanging.resolve("first");

  assertEquals([await first, other, await third], ["first", "other", "third"]);
});
