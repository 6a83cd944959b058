/**
 * The part of `@std/assert` that the tests use, for machines that reach npm but not JSR. Same names, signatures and
 * verdicts; the wording of a difference is that of `node:assert/strict`.
 *
 * @module
 */
import strict from "node:assert/strict";
import { inspect } from "node:util";
import { AssertionError } from "./assertion_error.ts";
import { isEqual } from "./equal.ts";
import { projectOnto } from "./object_match.ts";

export { AssertionError } from "./assertion_error.ts";
export { assertRejects, assertThrows } from "./throws.ts";

/** Asserts that the value is truthy. */
export function assert(expr: unknown, msg = ""): asserts expr {
  if (!expr) throw new AssertionError(msg);
}

/** Asserts that the value is falsy. */
export function assertFalse(expr: unknown, msg = ""): asserts expr is false | 0 | "" | null | undefined {
  if (expr) throw new AssertionError(msg);
}

/** Asserts deep equality of values. */
export function assertEquals<T>(actual: T, expected: T, msg?: string): void {
  if (!isEqual(actual, expected)) throw new AssertionError(`${difference(actual, expected)}${suffix(msg)}`);
}

/** Asserts that the values are not deeply equal. */
export function assertNotEquals<T>(actual: T, expected: T, msg?: string): void {
  check(!isEqual(actual, expected), `Expected actual: ${inspect(actual)} not to be: ${inspect(expected)}`, msg);
}

/** Asserts identity (`Object.is`). */
export function assertStrictEquals<T>(actual: unknown, expected: T, msg?: string): asserts actual is T {
  if (!Object.is(actual, expected)) throw new AssertionError(`${difference(actual, expected)}${suffix(msg)}`);
}

/** Asserts that the values are not identical (`Object.is`). */
export function assertNotStrictEquals<T>(actual: T, expected: T, msg?: string): void {
  check(!Object.is(actual, expected), `Expected "actual" to not be strictly equal to: ${inspect(actual)}`, msg);
}

/** Asserts that two numbers differ by at most the tolerance, by default 1e-7 of the expected one. */
export function assertAlmostEquals(actual: number, expected: number, tolerance?: number, msg?: string): void {
  if (Object.is(actual, expected)) return;
  const limit = tolerance ?? (Number.isFinite(expected) ? Math.abs(expected * 1e-7) : 1e-7);
  check(Math.abs(expected - actual) <= limit, `Expected actual: "${actual}" to be close to "${expected}"`, msg);
}

/** Asserts that the text matches. */
export function assertMatch(actual: string, expected: RegExp, msg?: string): void {
  check(expected.test(actual), `Expected actual: "${actual}" to match: "${expected}"`, msg);
}

/** Asserts that the text doesn't match. */
export function assertNotMatch(actual: string, expected: RegExp, msg?: string): void {
  check(!expected.test(actual), `Expected actual: "${actual}" to not match: "${expected}"`, msg);
}

/** Asserts that the text has the part. */
export function assertStringIncludes(actual: string, expected: string, msg?: string): void {
  check(actual.includes(expected), `Expected actual: "${actual}" to contain: "${expected}"`, msg);
}

/** Asserts that each expected value is in the list, in any order, compared deeply. */
export function assertArrayIncludes<T>(
  actual: ArrayLike<T> & object,
  expected: ArrayLike<T> & object,
  msg?: string,
): void {
  const missing = Array.from(expected).filter((item) => !Array.from(actual).some((other) => isEqual(item, other)));
  check(missing.length === 0, `Expected actual: ${inspect(actual)} to include: ${inspect(missing)}`, msg);
}

/** Asserts that the actual object has the expected members, deeply; it may have more. */
export function assertObjectMatch(
  // deno-lint-ignore no-explicit-any -- the signature of @std/assert
  actual: Record<PropertyKey, any>,
  expected: Record<PropertyKey, unknown>,
  msg?: string,
): void {
  assertEquals(projectOnto(actual, expected), projectOnto(expected, expected), msg);
}

/** Asserts that the value is neither null nor undefined. */
export function assertExists<T>(actual: T, msg?: string): asserts actual is NonNullable<T> {
  check(actual !== null && actual !== undefined, `Expected actual: "${actual}" to not be null or undefined`, msg);
}

/** Asserts that the value is an instance of the class. */
export function assertInstanceOf<
  // deno-lint-ignore no-explicit-any -- the signature of @std/assert
  T extends abstract new (...args: any[]) => any,
>(actual: unknown, expectedType: T, msg?: string): asserts actual is InstanceType<T> {
  check(
    actual instanceof expectedType,
    `Expected object to be an instance of "${expectedType.name}" but was ${inspect(actual, { depth: 0 })}`,
    msg,
  );
}

/** Asserts that actual > expected. */
export function assertGreater<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual > expected)) throw new AssertionError(msg ?? `Expect ${inspect(actual)} > ${inspect(expected)}`);
}

/** Asserts that actual >= expected. */
export function assertGreaterOrEqual<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual >= expected)) throw new AssertionError(msg ?? `Expect ${inspect(actual)} >= ${inspect(expected)}`);
}

/** Asserts that actual < expected. */
export function assertLess<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual < expected)) throw new AssertionError(msg ?? `Expect ${inspect(actual)} < ${inspect(expected)}`);
}

/** Asserts that actual <= expected. */
export function assertLessOrEqual<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual <= expected)) throw new AssertionError(msg ?? `Expect ${inspect(actual)} <= ${inspect(expected)}`);
}

/** Fails the test. */
export function fail(msg?: string): never {
  throw new AssertionError(`Failed assertion${suffix(msg)}`);
}

/** Fails the test where code that can't be reached was. */
export function unreachable(msg?: string): never {
  throw new AssertionError(`Unreachable${suffix(msg)}`);
}

function check(isMet: boolean, message: string, msg: string | undefined): void {
  if (!isMet) throw new AssertionError(`${message}${suffix(msg)}`);
}

function suffix(msg: string | undefined): string {
  return msg ? `: ${msg}` : ".";
}

function difference(actual: unknown, expected: unknown): string {
  try {
    strict.deepStrictEqual(actual, expected);
  } catch (error) {
    if (error instanceof Error) return `Values are not equal.\n${error.message}\n`;
  }
  return `Values are not equal: ${inspect(actual)} and ${inspect(expected)}`;
}
