import { assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { createTurns } from "../../src/ingest/reports/sqlite_reader.ts";

Deno.test("createTurns() runs one piece of work at a time, in order, whatever becomes of it", async () => {
  const inTurn = createTurns(1000);
  const seen: string[] = [];
  const work = (name: string) => async (): Promise<string> => {
    seen.push(`${name} starts`);
    await new Promise((resolve) => setTimeout(resolve, 0));
    seen.push(`${name} ends`);
    if (name === "b") throw new Error("b fails");
    return name;
  };

  const results = await Promise.allSettled([inTurn(work("a")), inTurn(work("b")), inTurn(work("c"))]);
  const last = await inTurn(work("d"));

  assertEquals(seen, ["a", "b", "c", "d"].flatMap((name) => [`${name} starts`, `${name} ends`]));
  assertEquals([results.map(({ status }) => status), last], [["fulfilled", "rejected", "fulfilled"], "d"]);
});

Deno.test("createTurns() rejects what waits too long, and goes on with the rest", async () => {
  using time = new FakeTime();
  const inTurn = createTurns(1000);
  const hanging = Promise.withResolvers<string>();

  const first = inTurn(() => hanging.promise);
  const second = assertRejects(() => inTurn(() => Promise.resolve("never")), Error, "too many reports at a time");
  await time.tickAsync(600);
  const third = inTurn(() => Promise.resolve("third"));
  await time.tickAsync(400);
  await second;
  hanging.resolve("first");

  assertEquals([await first, await third], ["first", "third"]);
});
