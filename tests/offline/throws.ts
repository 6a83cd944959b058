import { AssertionError } from "./assertion_error.ts";

// deno-lint-ignore no-explicit-any -- the signature of @std/assert
type ErrorClass<E> = abstract new (...args: any[]) => E;

/** Asserts that the function throws; returns what it threw. */
export function assertThrows(fn: () => unknown, msg?: string): unknown;
/** Asserts that the function throws an error of the class whose message has the part; returns it. */
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  ErrorClass: ErrorClass<E>,
  msgIncludes?: string,
  msg?: string,
): E;
export function assertThrows(
  fn: () => unknown,
  classOrMsg?: ErrorClass<Error> | string,
  msgIncludes?: string,
  msg?: string,
): unknown {
  const expectation = toExpectation(classOrMsg, msgIncludes, msg);
  try {
    fn();
  } catch (error) {
    return verify(error, expectation, "thrown");
  }
  throw new AssertionError(`Expected function to throw${expectation.suffix}`);
}

/** Asserts that the promise of the function rejects; resolves with the reason. A synchronous throw fails. */
export function assertRejects(fn: () => PromiseLike<unknown>, msg?: string): Promise<unknown>;
/** Asserts that the promise rejects with an error of the class whose message has the part; resolves with it. */
export function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  ErrorClass: ErrorClass<E>,
  msgIncludes?: string,
  msg?: string,
): Promise<E>;
export async function assertRejects(
  fn: () => PromiseLike<unknown>,
  classOrMsg?: ErrorClass<Error> | string,
  msgIncludes?: string,
  msg?: string,
): Promise<unknown> {
  const expectation = toExpectation(classOrMsg, msgIncludes, msg);
  const promise = call(fn, expectation);
  try {
    await promise;
  } catch (error) {
    return verify(error, expectation, "rejected");
  }
  throw new AssertionError(`Expected function to reject${expectation.suffix}`);
}

interface Expectation {
  readonly errorClass: ErrorClass<Error> | undefined;
  readonly msgIncludes: string | undefined;
  readonly suffix: string;
}

function toExpectation(
  classOrMsg: ErrorClass<Error> | string | undefined,
  ...[msgIncludes, msg]: (string | undefined)[]
): Expectation {
  const isMessage = typeof classOrMsg === "string";
  const text = isMessage ? classOrMsg : msg;
  return {
    errorClass: isMessage ? undefined : classOrMsg,
    msgIncludes: isMessage ? undefined : msgIncludes,
    suffix: text ? `: ${text}` : ".",
  };
}

function call(fn: () => PromiseLike<unknown>, { suffix }: Expectation): PromiseLike<unknown> {
  const failure = `Function throws when expected to reject${suffix}`;
  try {
    const result: unknown = fn();
    if (isPromiseLike(result)) return result;
  } catch (error) {
    throw new AssertionError(failure, { cause: error });
  }
  throw new AssertionError(failure);
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

function verify(error: unknown, { errorClass, msgIncludes, suffix }: Expectation, verb: string): unknown {
  if (!errorClass) return error;
  if (!(error instanceof Error)) throw new AssertionError(`A non-Error object was ${verb}${suffix}`);
  if (!(error instanceof errorClass)) {
    const expected = `Expected error to be instance of "${errorClass.name}"`;
    throw new AssertionError(`${expected}, but was "${className(error)}"${suffix}`, { cause: error });
  }
  if (msgIncludes && !error.message.includes(msgIncludes)) {
    const expected = `Expected error message to include ${JSON.stringify(msgIncludes)}`;
    throw new AssertionError(`${expected}, but got ${JSON.stringify(error.message)}${suffix}`, { cause: error });
  }
  return error;
}

function className(value: object): string {
  return value.constructor.name;
}
