import { assertEquals } from "@std/assert";
import { createClock } from "../../src/testing/clock.ts";
import { createPageTimers } from "../../src/testing/page_timers.ts";

Deno.test("createPageTimers() fires at once where browsers do: 0, negative, NaN, infinite, 2^31 and more", async () => {
  const clock = createClock(0);
  const timers = createPageTimers(clock);
  const calls: number[] = [];
  timers.set(() => calls.push(1), 0);
  timers.set(() => calls.push(2), -5);
  timers.set(() => calls.push(3), NaN);
  timers.set(() => calls.push(4), Infinity);
  timers.set(() => calls.push(5), 2 ** 31);
  timers.set(() => calls.push(6), 2 ** 31 - 1);

  await clock.advance(0);

  assertEquals(calls, [1, 2, 3, 4, 5]);
});

Deno.test("createPageTimers() doesn't count the time while the page is paused", async () => {
  const clock = createClock(0);
  const timers = createPageTimers(clock);
  const firedAtMs: number[] = [];
  timers.set(() => firedAtMs.push(clock.now()), 100);
  await clock.advance(40);

  timers.pause();
  timers.pause();
  await clock.advance(1000);
  assertEquals(firedAtMs, []);

  timers.resume();
  timers.resume();
  await clock.advance(1000);
  assertEquals(firedAtMs, [1100]);
});

Deno.test("createPageTimers() starts a timer set while paused when the page goes on", async () => {
  const clock = createClock(0);
  const timers = createPageTimers(clock);
  const firedAtMs: number[] = [];
  timers.pause();
  timers.set(() => firedAtMs.push(clock.now()), 10);
  await clock.advance(50);

  timers.resume();
  await clock.advance(50);

  assertEquals(firedAtMs, [60]);
});

Deno.test("createPageTimers() forgets a timer that is cancelled while paused", async () => {
  const clock = createClock(0);
  const timers = createPageTimers(clock);
  let calls = 0;
  const cancel = timers.set(() => calls++, 10);
  timers.pause();

  cancel();
  timers.resume();
  await clock.advance(50);

  assertEquals(calls, 0);
});

Deno.test("createPageTimers() fires a timer once, however often the page pauses afterwards", async () => {
  const clock = createClock(0);
  const timers = createPageTimers(clock);
  let calls = 0;
  timers.set(() => calls++, 10);
  await clock.advance(10);

  timers.pause();
  timers.resume();
  await clock.advance(50);

  assertEquals(calls, 1);
});
