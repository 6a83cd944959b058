/** `stub()` of `@std/testing/mock`, for machines that reach npm but not JSR. */

/** A function in the place of a method, which records its calls. */
export interface Stub extends Disposable {
  /** The calls so far. */
  readonly calls: readonly { readonly args: unknown[] }[];
  /** Puts the method back. */
  restore(): void;
}

/** Replaces a method until it is restored, by default with one that does nothing. */
export function stub<T extends object, K extends keyof T>(self: T, property: K, fake?: T[K]): Stub {
  const own = Object.getOwnPropertyDescriptor(self, property);
  const calls: { args: unknown[] }[] = [];
  const value = function (this: unknown, ...args: unknown[]): unknown {
    calls.push({ args });
    return typeof fake === "function" ? Reflect.apply(fake, this, args) : undefined;
  };
  Object.defineProperty(self, property, { value, configurable: true, writable: true });
  const restore = (): void => {
    if (own) Object.defineProperty(self, property, own);
    else Reflect.deleteProperty(self, property);
  };
  return { calls, restore, [Symbol.dispose]: restore };
}
