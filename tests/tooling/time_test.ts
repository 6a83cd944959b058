import { assertEquals, assertInstanceOf, assertRejects, assertThrows } from "@std/assert";
import { FakeTime, TimeError } from "@std/testing/time";

Deno.test("FakeTime moves Date and timers by hand only", () => {
  using time = new FakeTime(1_000);
  const calls: number[] = [];
  setTimeout(() => calls.push(Date.now()), 50);
  setTimeout(() => calls.push(Date.now()), 20);

  time.tick(19);
  assertEquals(calls, []);
  time.tick(1);
  assertEquals(calls, [1_020]);
  time.tick(100);

  assertEquals(calls, [1_020, 1_050]);
  assertEquals(time.now, 1_120);
  assertEquals(new Date().getTime(), 1_120);
  assertEquals(time.start, 1_000);
});

Deno.test("FakeTime runs intervals and forgets what is cleared", () => {
  using time = new FakeTime();
  const calls: string[] = [];
  const interval = setInterval(() => calls.push("interval"), 10);
  const timeout = setTimeout(() => calls.push("timeout"), 15);

  time.tick(10);
  clearTimeout(timeout);
  time.tick(10);
  clearInterval(interval);
  time.tick(100);

  assertEquals(calls, ["interval", "interval"]);
});

Deno.test("FakeTime.next() runs all timers of the next moment", () => {
  using time = new FakeTime(0);
  const calls: string[] = [];
  setTimeout(() => calls.push("a"), 10);
  setTimeout(() => calls.push("b"), 10);
  setTimeout(() => calls.push("c"), 20);

  assertEquals(time.next(), true);
  assertEquals(calls, ["a", "b"]);
  assertEquals(time.next(), true);
  assertEquals(time.next(), false);

  assertEquals([calls, time.now], [["a", "b", "c"], 20]);
});

Deno.test("FakeTime.runAllAsync() runs timers that promises arm", async () => {
  using time = new FakeTime(0);
  const calls: number[] = [];
  setTimeout(async () => {
    await Promise.resolve();
    setTimeout(() => calls.push(Date.now()), 5);
  }, 5);

  await time.runAllAsync();

  assertEquals(calls, [10]);
});

Deno.test("FakeTime.tickAsync() lets promises run before it moves", async () => {
  using time = new FakeTime(0);
  const calls: number[] = [];
  Promise.resolve().then(() => setTimeout(() => calls.push(Date.now()), 10));

  await time.tickAsync(10);

  assertEquals(calls, [10]);
});

Deno.test("FakeTime.restoreFor() gives the callback the real time", async () => {
  using time = new FakeTime(0);

  const seen = await FakeTime.restoreFor(() => Date.now());

  assertEquals(seen > 1_000_000_000_000, true);
  assertEquals([Date.now(), time.now], [0, 0]);
});

Deno.test("FakeTime fakes AbortSignal.timeout()", () => {
  using time = new FakeTime();
  const signal = AbortSignal.timeout(30);

  time.tick(29);
  assertEquals(signal.aborted, false);
  time.tick(1);

  assertEquals(signal.aborted, true);
  assertInstanceOf(signal.reason, DOMException);
  assertEquals(signal.reason.name, "TimeoutError");
});

Deno.test("FakeTime.delay() waits in real time and can be aborted", async () => {
  using time = new FakeTime(0);
  const controller = new AbortController();

  await time.delay(1);
  const waiting = time.delay(60_000, { signal: controller.signal });
  await time.runMicrotasks();
  controller.abort();

  await assertRejects(() => waiting, DOMException, "aborted");
  assertEquals(time.now, 0);
});

Deno.test("FakeTime restores what it replaced, once", () => {
  const before = [globalThis.Date, globalThis.setTimeout, globalThis.clearInterval, AbortSignal.timeout];
  const time = new FakeTime();

  assertThrows(() => new FakeTime(), TimeError);
  time.restore();

  assertEquals([globalThis.Date, globalThis.setTimeout, globalThis.clearInterval, AbortSignal.timeout], before);
  assertThrows(() => time.restore(), TimeError);
});

Deno.test("FakeTime refuses to go back and an invalid start", () => {
  {
    using time = new FakeTime(100);
    assertThrows(() => {
      time.now = 99;
    }, RangeError);
  }
  assertThrows(() => new FakeTime("never"), TypeError);
});
