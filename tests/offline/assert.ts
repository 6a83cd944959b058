/**
 * The part of `@std/assert` that the tests use, over `node:assert/strict`, for machines that reach npm but not JSR.
 *
 * @module
 */
import strict from "node:assert/strict";

// deno-lint-ignore no-explicit-any -- the signature of @std/assert
type ErrorClass<E> = abstract new (...args: any[]) => E;

/** Asserts that the value is truthy. */
export function assert(value: unknown, msg: string = "Expected a truthy value"): asserts value {
  strict.ok(value, msg);
}

/** Asserts deep equality. The message is a key of what is compared, so that the difference shows, too. */
export function assertEquals<T>(actual: T, expected: T, msg: string = "value"): void {
  strict.deepStrictEqual({ [msg]: actual }, { [msg]: expected });
}

/** Asserts that the values are not deeply equal. */
export function assertNotEquals<T>(actual: T, expected: T): void {
  strict.notDeepStrictEqual(actual, expected);
}

/** Asserts identity. */
export function assertStrictEquals<T>(actual: unknown, expected: T): asserts actual is T {
  strict.equal(actual, expected);
}

/** Asserts that the text matches. */
export function assertMatch(
  actual: string,
  expected: RegExp,
  msg: string = `${actual} doesn't match ${expected}`,
): void {
  strict.match(actual, expected, msg);
}

/** Asserts that the text doesn't match. */
export function assertNotMatch(actual: string, expected: RegExp): void {
  strict.doesNotMatch(actual, expected);
}

/** Asserts that the text has the part. */
export function assertStringIncludes(actual: string, expected: string, msg?: string): void {
  strict.ok(actual.includes(expected), msg ?? `${JSON.stringify(expected)} is not in ${JSON.stringify(actual)}`);
}

/** Asserts that actual > expected. */
export function assertGreater(actual: number, expected: number, msg?: string): void {
  strict.ok(actual > expected, msg ?? `${actual} is not more than ${expected}`);
}

/** Asserts that actual <= expected. */
export function assertLessOrEqual(actual: number, expected: number, msg?: string): void {
  strict.ok(actual <= expected, msg ?? `${actual} is more than ${expected}`);
}

/** Asserts that the function throws an error of the class whose message has the part; returns it. */
export function assertThrows<E = unknown>(fn: () => unknown, errorClass?: ErrorClass<E>, part?: string): E {
  try {
    fn();
  } catch (error) {
    return check(error, errorClass, part);
  }
  strict.fail("Expected function to throw");
}

/** Asserts that the promise rejects, as {@linkcode assertThrows} does. A function that throws at once fails. */
export async function assertRejects<E = unknown>(
  fn: () => PromiseLike<unknown>,
  errorClass?: ErrorClass<E>,
  part?: string,
): Promise<E> {
  const promise = fn();
  try {
    await promise;
  } catch (error) {
    return check(error, errorClass, part);
  }
  strict.fail("Expected promise to reject");
}

function check<E>(error: unknown, errorClass: ErrorClass<E> | undefined, part = ""): E {
  strict.ok(!errorClass || error instanceof errorClass, `Expected ${errorClass?.name}, but it was ${error}`);
  assertStringIncludes(error instanceof Error ? error.message : String(error), part);
  return error as E;
}
