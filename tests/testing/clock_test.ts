import { assertEquals, assertRejects } from "@std/assert";
import { createClock } from "../../src/testing/clock.ts";

Deno.test("createClock() stands still until it's moved", async () => {
  const clock = createClock(1000);
  await Promise.resolve();
  assertEquals([clock.now(), clock.elapsed()], [1000, 0]);

  await clock.advance(250);
  assertEquals([clock.now(), clock.elapsed()], [1250, 250]);
});

Deno.test("createClock() fires timers in the order of their times, then of their setting", async () => {
  const clock = createClock(0);
  const calls: string[] = [];
  clock.setTimer(() => calls.push(`c at ${clock.now()}`), 30);
  clock.setTimer(() => calls.push(`a at ${clock.now()}`), 10);
  clock.setTimer(() => calls.push(`b at ${clock.now()}`), 10);

  await clock.advance(30);

  assertEquals(calls, ["a at 10", "b at 10", "c at 30"]);
});

Deno.test("createClock() fires what timers and promises set on the way", async () => {
  const clock = createClock(0);
  const calls: string[] = [];
  clock.setTimer(async () => {
    await Promise.resolve();
    clock.setTimer(() => calls.push(`inner at ${clock.now()}`), 5);
  }, 10);
  clock.setTimer(() => calls.push(`late at ${clock.now()}`), 15.5);

  await clock.advance(16);

  assertEquals(calls, ["inner at 15", "late at 15.5"]);
});

Deno.test("createClock() fires no timer that isn't due or was cancelled", async () => {
  const clock = createClock(0);
  let calls = 0;
  clock.setTimer(() => calls++, 11);
  const cancel = clock.setTimer(() => calls++, 5);

  cancel();
  await clock.advance(10);

  assertEquals(calls, 0);
});

Deno.test("createClock() can be set without timers noticing", async () => {
  const clock = createClock(10_000);
  let firedAtMs = 0;
  clock.setTimer(() => firedAtMs = clock.now(), 100);

  clock.set(500);
  await clock.advance(99);
  assertEquals([clock.now(), firedAtMs], [599, 0]);

  await clock.advance(1);
  assertEquals([clock.now(), firedAtMs], [600, 600]);
});

Deno.test("createClock() waits for work that isn't on the clock", async () => {
  const clock = createClock(0);
  let isDone = false;
  clock.wait(new Promise<void>((resolve) => setTimeout(resolve, 10)).then(() => isDone = true));

  await clock.advance(0);

  assertEquals(isDone, true);
});

Deno.test("createClock() passes on the failure of work", async () => {
  const clock = createClock(0);
  clock.wait(Promise.reject(new Error("the handler of the test is broken")));

  await assertRejects(() => clock.advance(0), Error, "the handler of the test is broken");
});

Deno.test("createClock() follows chains of promises that use it, however long", async () => {
  const clock = createClock(0);
  let turns = 0;
  const turn = (): void => {
    if (++turns < 2000) clock.wait(Promise.resolve().then(turn));
  };
  turn();

  await clock.advance(0);

  assertEquals(turns, 2000);
});

Deno.test("createClock() gives up on timers without a delay that set each other", async () => {
  const clock = createClock(0);
  const again = (): void => void clock.setTimer(again, 0);
  again();

  await assertRejects(() => clock.advance(1), Error, "without end");
});
