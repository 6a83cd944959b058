import {
  assert,
  assertAlmostEquals,
  assertArrayIncludes,
  assertEquals,
  assertExists,
  assertFalse,
  assertGreater,
  assertGreaterOrEqual,
  assertInstanceOf,
  AssertionError,
  assertLess,
  assertLessOrEqual,
  assertMatch,
  assertNotEquals,
  assertNotMatch,
  assertNotStrictEquals,
  assertObjectMatch,
  assertRejects,
  assertStrictEquals,
  assertStringIncludes,
  assertThrows,
  fail,
  unreachable,
} from "@std/assert";

// These hold for @std/assert and for its stand-in alike; which one runs is the launcher's choice. The helper below
// doesn't trust either.
function fails(fn: () => unknown): AssertionError {
  try {
    fn();
  } catch (error) {
    if (error instanceof AssertionError) return error;
    throw new Error("threw something else than an AssertionError", { cause: error });
  }
  throw new Error("the assertion held");
}

async function failsLater(promise: Promise<unknown>): Promise<AssertionError> {
  const [outcome] = await Promise.allSettled([promise]);
  return fails(() => {
    if (outcome.status === "rejected") throw outcome.reason;
  });
}

Deno.test("assert() and assertFalse() look at truth alone", () => {
  assert("text");
  assertFalse(0);
  fails(() => assert(""));
  fails(() => assertFalse("text"));
});

Deno.test("assertEquals() compares values deeply", () => {
  assertEquals({ a: [1, { b: "c" }] }, { a: [1, { b: "c" }] });
  assertEquals([Number.NaN, new Date(5), /x/g], [Number.NaN, new Date(5), /x/g]);
  assertEquals<number>(0, -0);
  fails(() => assertEquals({ a: [1, { b: "c" }] }, { a: [1, { b: "d" }] }));
  fails(() => assertEquals<unknown>(1, "1"));
  fails(() => assertEquals(new Date(5), new Date(6)));
  fails(() => assertEquals(/x/g, /x/));
  fails(() => assertEquals<unknown>(null, undefined));
});

Deno.test("assertEquals() tells an undefined member from a missing one", () => {
  fails(() => assertEquals<unknown>({ a: undefined }, {}));
  fails(() => assertEquals<unknown>({}, { a: undefined }));
  fails(() => assertEquals<unknown>({ a: undefined }, { b: undefined }));
  fails(() => assertEquals([1, undefined], [1]));
});

Deno.test("assertEquals() takes an object without prototype for a plain one, but no class for another", () => {
  class First {
    value = 1;
  }
  class Second {
    value = 1;
  }
  assertEquals<unknown>(Object.assign(Object.create(null), { value: 1 }), { value: 1 });
  assertEquals<unknown>(new First(), new First());
  fails(() => assertEquals<unknown>(new First(), new Second()));
  fails(() => assertEquals<unknown>(new First(), { value: 1 }));
  fails(() => assertEquals<unknown>([], {}));
});

Deno.test("assertEquals() compares sets, maps and bytes by what they hold", () => {
  assertEquals(new Set([{ a: 1 }, { a: 2 }]), new Set([{ a: 2 }, { a: 1 }]));
  assertEquals(new Map([["a", { b: 1 }]]), new Map([["a", { b: 1 }]]));
  assertEquals(new Uint8Array([1, 2]), new Uint8Array([1, 2]));
  assertEquals(new Uint8Array([1, 2]).buffer, new Uint8Array([1, 2]).buffer);
  fails(() => assertEquals(new Set([{ a: 1 }]), new Set([{ a: 2 }])));
  fails(() => assertEquals(new Map([["a", { b: 1 }]]), new Map([["a", { b: 2 }]])));
  fails(() => assertEquals(new Uint8Array([1, 2]), new Uint8Array([1, 3])));
  fails(() => assertEquals(new Uint8Array([1, 2]).buffer, new Uint8Array([1, 3]).buffer));
});

Deno.test("assertEquals() follows cycles", () => {
  const first: Record<string, unknown> = { name: "a" };
  first.self = first;
  const second: Record<string, unknown> = { name: "a" };
  second.self = second;
  const other: Record<string, unknown> = { name: "b" };
  other.self = other;
  assertEquals(first, second);
  fails(() => assertEquals(first, other));
});

Deno.test("assertNotEquals() is the opposite of assertEquals()", () => {
  assertNotEquals({ a: 1 }, { a: 2 });
  fails(() => assertNotEquals({ a: 1 }, { a: 1 }));
});

Deno.test("assertStrictEquals() and assertNotStrictEquals() compare identity", () => {
  const value = { a: 1 };
  assertStrictEquals(value, value);
  assertStrictEquals(Number.NaN, Number.NaN);
  assertNotStrictEquals(value, { a: 1 });
  fails(() => assertStrictEquals(value, { a: 1 }));
  fails(() => assertStrictEquals(0, -0));
  fails(() => assertNotStrictEquals(value, value));
});

Deno.test("assertThrows() returns what was thrown and checks class and message", () => {
  const boom = new RangeError("far too large");
  const thrower = (): never => {
    throw boom;
  };
  assertStrictEquals(assertThrows(thrower), boom);
  assertStrictEquals(assertThrows(thrower, RangeError, "too large"), boom);
  assertStrictEquals(assertThrows(thrower, Error), boom);
  fails(() => assertThrows(thrower, TypeError));
  fails(() => assertThrows(thrower, RangeError, "too small"));
  fails(() => assertThrows(() => 1));
  assertMatch(fails(() => assertThrows(() => 1, "the reason")).message, /the reason/);
});

Deno.test("assertThrows() refuses a thrown non-Error where a class is asked for", () => {
  const thrower = (): never => {
    throw "text";
  };
  assertStrictEquals(assertThrows(thrower), "text");
  fails(() => assertThrows(thrower, Error));
});

Deno.test("assertRejects() resolves with the reason and checks class and message", async () => {
  const boom = new RangeError("far too large");
  assertStrictEquals(await assertRejects(() => Promise.reject(boom)), boom);
  assertStrictEquals(await assertRejects(() => Promise.reject(boom), RangeError, "too large"), boom);
  await failsLater(assertRejects(() => Promise.reject(boom), TypeError));
  await failsLater(assertRejects(() => Promise.reject(boom), RangeError, "too small"));
  await failsLater(assertRejects(() => Promise.resolve(1)));
});

Deno.test("assertRejects() refuses a synchronous throw", async () => {
  await failsLater(assertRejects(() => {
    throw new Error("now");
  }));
});

Deno.test("assertMatch(), assertNotMatch() and assertStringIncludes() look into text", () => {
  assertMatch("abc", /b/);
  assertNotMatch("abc", /x/);
  assertStringIncludes("abc", "bc");
  fails(() => assertMatch("abc", /x/));
  fails(() => assertNotMatch("abc", /b/));
  fails(() => assertStringIncludes("abc", "x"));
});

Deno.test("assertArrayIncludes() finds each expected item by value", () => {
  assertArrayIncludes([{ a: 1 }, { a: 2 }], [{ a: 2 }]);
  fails(() => assertArrayIncludes([{ a: 1 }], [{ a: 1 }, { a: 2 }]));
});

Deno.test("assertObjectMatch() ignores members that aren't expected, at any depth", () => {
  assertObjectMatch({ a: 1, b: { c: 2, d: 3 }, e: [{ f: 4, g: 5 }] }, { b: { d: 3 }, e: [{ f: 4 }] });
  fails(() => assertObjectMatch({ a: 1, b: { c: 2 } }, { b: { c: 3 } }));
  fails(() => assertObjectMatch({ a: 1 }, { a: 1, b: 2 }));
  fails(() => assertObjectMatch({ e: [{ f: 4 }] }, { e: [{ f: 4 }, { f: 5 }] }));
});

Deno.test("assertObjectMatch() keeps apart what is expected of one object in two places", () => {
  const shared = { p: 1, q: 2 };
  assertObjectMatch({ a: shared, b: shared }, { a: { p: 1 }, b: { q: 2 } });
  fails(() => assertObjectMatch({ a: shared, b: shared }, { a: { p: 1 }, b: { q: 1 } }));
});

Deno.test("assertExists() and assertInstanceOf() narrow a value", () => {
  assertExists(0);
  assertInstanceOf(new TypeError(), Error);
  fails(() => assertExists(null));
  fails(() => assertExists(undefined));
  fails(() => assertInstanceOf(new Error(), TypeError));
});

Deno.test("assertGreater() and its kin compare numbers", () => {
  assertGreater(2, 1);
  assertGreaterOrEqual(2, 2);
  assertLess(1, 2);
  assertLessOrEqual(2, 2);
  fails(() => assertGreater(1, 1));
  fails(() => assertGreaterOrEqual(1, 2));
  fails(() => assertLess(1, 1));
  fails(() => assertLessOrEqual(2, 1));
});

Deno.test("assertAlmostEquals() allows for the tolerance", () => {
  assertAlmostEquals(0.1 + 0.2, 0.3);
  assertAlmostEquals(10, 12, 2);
  fails(() => assertAlmostEquals(10, 12, 1));
  fails(() => assertAlmostEquals(1, Number.NaN));
});

Deno.test("fail() and unreachable() always fail, with the message", () => {
  assertStringIncludes(fails(() => fail("here")).message, "here");
  assertStringIncludes(fails(() => unreachable("there")).message, "there");
});
