import { assertEquals, AssertionError, assertStrictEquals, assertThrows } from "@std/assert";
import { assertSpyCall, assertSpyCalls, MockError, spy, stub } from "@std/testing/mock";

Deno.test("spy() records the calls of a function", () => {
  const double = spy((value: number) => value * 2);

  assertEquals(double(4), 8);

  assertSpyCalls(double, 1);
  assertSpyCall(double, 0, { args: [4], returned: 8 });
  assertThrows(() => assertSpyCalls(double, 2), AssertionError);
  assertThrows(() => assertSpyCall(double, 0, { args: [5] }), AssertionError);
  assertThrows(() => assertSpyCall(double, 0, { returned: 9 }), AssertionError);
  assertThrows(() => assertSpyCall(double, 1), AssertionError);
});

Deno.test("spy() without a function does nothing and can't be restored", () => {
  const idle = spy();

  assertEquals(idle("a"), undefined);

  assertSpyCall(idle, 0, { args: ["a"] });
  assertThrows(() => idle.restore(), MockError);
});

Deno.test("spy() records what was thrown", () => {
  const failing = spy((): never => {
    throw new RangeError("too large");
  });

  assertThrows(() => failing(), RangeError);

  assertSpyCall(failing, 0, { error: { Class: RangeError, msgIncludes: "large" } });
  assertThrows(() => assertSpyCall(failing, 0, { error: { Class: TypeError } }), AssertionError);
});

Deno.test("spy() on a method keeps what it does and restores it", () => {
  const counter = {
    count: 1,
    add(step: number): number {
      this.count += step;
      return this.count;
    },
  };
  const original = counter.add;
  const added = spy(counter, "add");

  assertEquals(counter.add(2), 3);
  added.restore();
  counter.add(1);

  assertSpyCalls(added, 1);
  assertSpyCall(added, 0, { self: counter, args: [2], returned: 3 });
  assertEquals(added.restored, true);
  assertStrictEquals(counter.add, original);
  assertThrows(() => added.restore(), MockError);
});

Deno.test("stub() replaces a method until the end of a using block", () => {
  const clock = { now: (): number => 1 };
  {
    using now = stub(clock, "now", () => 2);
    assertEquals(clock.now(), 2);
    assertSpyCalls(now, 1);
    assertThrows(() => stub(clock, "now"), MockError);
  }
  assertEquals(clock.now(), 1);
});

Deno.test("stub() takes an inherited method off the object again", () => {
  class Clock {
    now(): number {
      return 1;
    }
  }
  const clock = new Clock();
  const now = stub(clock, "now", () => 2);

  now.restore();

  assertEquals([clock.now(), Object.hasOwn(clock, "now")], [1, false]);
});
