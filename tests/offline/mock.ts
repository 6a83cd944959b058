// deno-lint-ignore-file no-explicit-any -- the defaults of @std/testing/mock: a spy fits any function
/**
 * The part of `@std/testing/mock` that the tests use, for machines that reach npm but not JSR.
 *
 * @module
 */
import { assertEquals, AssertionError, assertThrows } from "./assert.ts";

/** Misuse of a spy. */
export class MockError extends Error {
  /** Takes the message. */
  constructor(message: string) {
    super(message);
    this.name = "MockError";
  }
}

/** One call that a spy has seen. */
export interface SpyCall<Self = any, Args extends unknown[] = any[], Return = any> {
  /** Arguments of the call. */
  args: Args;
  /** What it returned. */
  returned?: Return;
  /** What it threw. */
  error?: Error;
  /** What it was called on. */
  self?: Self;
}

/** A function that records its calls. */
export interface Spy<Self = any, Args extends unknown[] = any[], Return = any> {
  (this: Self, ...args: Args): Return;
  /** The function spied on. */
  original: (this: Self, ...args: Args) => Return;
  /** The calls so far. */
  calls: SpyCall<Self, Args, Return>[];
  /** Whether the method is itself again. */
  restored: boolean;
  /** Puts the method back; a spy of a bare function has nothing to put back and throws. */
  restore(): void;
}

/** A spy in the place of a method. */
export interface MethodSpy<Self = any, Args extends unknown[] = any[], Return = any>
  extends Spy<Self, Args, Return>, Disposable {}

/** A spy that replaces what the method does. */
export interface Stub<Self = any, Args extends unknown[] = any[], Return = any> extends MethodSpy<Self, Args, Return> {
  /** What is called instead of the original. */
  fake: (this: Self, ...args: Args) => Return;
}

type ArgsOf<T> = T extends (...args: infer Args) => unknown ? Args : unknown[];
type ReturnOf<T> = T extends (...args: any[]) => infer Return ? Return : unknown;
type Method = (this: any, ...args: any[]) => any;

/** Makes a function that does nothing and records its calls. */
export function spy<Self = any, Args extends unknown[] = any[], Return = undefined>(): Spy<Self, Args, Return>;
/** Wraps a function to record its calls. */
export function spy<Self, Args extends unknown[], Return>(
  func: (this: Self, ...args: Args) => Return,
): Spy<Self, Args, Return>;
/** Wraps a method in place to record its calls. */
export function spy<Self extends object, Prop extends keyof Self>(
  self: Self,
  property: Prop,
): MethodSpy<Self, ArgsOf<Self[Prop]>, ReturnOf<Self[Prop]>>;
export function spy(target?: object | Method, property?: PropertyKey): Spy {
  if (property !== undefined && target !== undefined) {
    const method: unknown = Reflect.get(target, property);
    if (typeof method !== "function") throw new MockError("Cannot spy: property is not an instance method");
    return replaceMethod(target, property, method as Method);
  }
  const original = typeof target === "function" ? target as Method : () => {};
  return record({ original, run: original }, {
    isRestored: () => false,
    restore: () => {
      throw new MockError("Cannot restore: function cannot be restored");
    },
  });
}

/** Replaces a method in place, by default with one that does nothing, and records its calls. */
export function stub<Self extends object, Prop extends keyof Self>(
  self: Self,
  property: Prop,
  func?: (this: Self, ...args: ArgsOf<Self[Prop]>) => ReturnOf<Self[Prop]>,
): Stub<Self, ArgsOf<Self[Prop]>, ReturnOf<Self[Prop]>> {
  const method = self[property];
  if (method !== undefined && typeof method !== "function") {
    throw new MockError("Cannot stub: property is not an instance method");
  }
  const fake: Method = func ?? (() => {});
  const spied: MethodSpy<any, any, any> = replaceMethod(self, property, fake);
  return Object.assign(spied, { fake });
}

/** Asserts how often the spy was called. */
export function assertSpyCalls(spy: Spy, expectedCalls: number): void {
  if (spy.calls.length === expectedCalls) return;
  const verdict = spy.calls.length < expectedCalls
    ? "Spy not called as much as expected"
    : "Spy called more than expected";
  throw new AssertionError(`${verdict}: ${spy.calls.length} instead of ${expectedCalls}`);
}

/** What a call is expected to be like; members left out may be anything. */
export interface ExpectedSpyCall {
  /** Arguments of the call. */
  readonly args?: readonly unknown[];
  /** What it was called on. */
  readonly self?: unknown;
  /** What it returned. */
  readonly returned?: unknown;
  /** What it threw. */
  readonly error?: { readonly Class?: new (...args: any[]) => Error; readonly msgIncludes?: string };
}

/** Asserts that the call of that index was made, and that it was as expected. */
export function assertSpyCall(spy: Spy, callIndex: number, expected: ExpectedSpyCall = {}): void {
  const call = spy.calls[callIndex];
  if (!call) throw new AssertionError("Spy not called as much as expected");
  if (expected.args) assertEquals<readonly unknown[]>(call.args, expected.args, "Spy not called with expected args");
  if ("self" in expected) assertEquals(call.self, expected.self, "Spy not called as method on expected self");
  if ("returned" in expected) {
    if (call.error) throw new AssertionError("Spy call did not return expected value, an error was thrown.");
    assertEquals(call.returned, expected.returned, "Spy call did not return expected value");
  }
  if (!expected.error) return;
  if ("returned" in call) throw new AssertionError("Spy call did not throw an error, a value was returned.");
  const rethrow = (): never => {
    throw call.error;
  };
  assertThrows(rethrow, expected.error.Class ?? Error, expected.error.msgIncludes);
}

interface Restoring {
  readonly isRestored: () => boolean;
  readonly restore: () => void;
}

function record({ original, run }: { original: Method; run: Method }, restoring: Restoring): MethodSpy {
  const calls: SpyCall[] = [];
  const spied = function (this: unknown, ...args: unknown[]): unknown {
    const call: SpyCall = this ? { args, self: this } : { args };
    try {
      call.returned = run.apply(this, args);
      return call.returned;
    } catch (error) {
      call.error = error as Error;
      throw error;
    } finally {
      calls.push(call);
    }
  };
  return Object.defineProperties(spied, {
    original: { value: original, enumerable: true },
    calls: { value: calls, enumerable: true },
    restored: { get: restoring.isRestored, enumerable: true },
    restore: { value: restoring.restore, enumerable: true },
    [Symbol.dispose]: { value: restoring.restore },
  }) as MethodSpy;
}

function replaceMethod(self: object, property: PropertyKey, run: Method): MethodSpy {
  const original: unknown = Reflect.get(self, property);
  if (isSpy(original)) throw new MockError("Cannot stub: already spying on instance method");
  const descriptor = Object.getOwnPropertyDescriptor(self, property);
  if (descriptor && !descriptor.configurable) throw new MockError("Cannot stub: non-configurable instance method");
  let isRestored = false;
  const restore = (): void => {
    if (isRestored) throw new MockError("Cannot restore: instance method already restored");
    if (descriptor) Object.defineProperty(self, property, descriptor);
    else Reflect.deleteProperty(self, property);
    isRestored = true;
  };
  const spied = record({ original: original as Method, run }, { isRestored: () => isRestored, restore });
  Object.defineProperty(self, property, {
    configurable: true,
    enumerable: descriptor?.enumerable ?? false,
    writable: descriptor?.writable ?? false,
    value: spied,
  });
  return spied;
}

function isSpy(value: unknown): value is Spy {
  return typeof value === "function" && "calls" in value && "restored" in value && "original" in value;
}
