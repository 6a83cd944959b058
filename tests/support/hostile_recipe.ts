import fc from "fast-check";

/**
 * How to make a hostile value: fast-check looks into the values that it makes itself, and wouldn't survive them.
 */
export type Recipe =
  | { readonly plain: unknown }
  | { readonly leaf: string }
  | { readonly kind: string; readonly keys: readonly string[]; readonly parts: readonly Recipe[] };

const LEAVES: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  bigint: () => 2n ** 70n,
  boxedBigint: () => Object(1n),
  boxedString: () => Object("boxed"),
  symbol: () => Symbol("s"),
  function: () => () => 1,
  date: () => new Date(0),
  invalidDate: () => new Date(NaN),
  bytes: () => new Uint8Array([1, 2, 255]),
  bigBytes: () => new BigInt64Array(2),
  error: () => new TypeError("no such tea", { cause: 1n }),
  regexp: () => /x/g,
  promise: () => Promise.resolve(1),
  throwingToJson: () => ({ toJSON: fail }),
  throwingGetter: () => Object.defineProperty({ a: 1 }, "b", { get: fail, enumerable: true }),
  throwingProxy: () => new Proxy({}, { get: fail, has: fail, ownKeys: fail, getPrototypeOf: fail }),
  throwingArray: () => new Proxy([], { get: fail }),
  throwingName: () => ({ toString: fail, valueOf: fail, [Symbol.toPrimitive]: fail }),
  revokedProxy: () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
};

const KINDS: Readonly<Record<string, (keys: readonly string[], values: readonly unknown[]) => unknown>> = {
  array: (_keys, values) => values,
  object: (keys, values) => Object.fromEntries(zip(keys, values)),
  map: (keys, values) => new Map(zip(keys, values)),
  oddMap: (_keys, values) => new Map(values.map((value) => [value, value])),
  set: (_keys, values) => new Set(values),
  proxy: (keys, values) => new Proxy(Object.fromEntries(zip(keys, values)), {}),
  toJson: (_keys, [value]) => ({ toJSON: () => value }),
  instance: (keys, values) =>
    Object.create({ inherited: 1 }, Object.getOwnPropertyDescriptors(Object.fromEntries(zip(keys, values)))),
  cycle: (_keys, values) => {
    const cycle: unknown[] = [...values];
    cycle.push(cycle, { cycle }, new Map([["cycle", cycle]]));
    return cycle;
  },
  twice: (keys, values) => {
    const shared = Object.fromEntries(zip(keys, values));
    return { first: shared, second: [shared, shared] };
  },
};

/** Recipes of values that JSON knows, and of those it chokes on. */
export const recipes: fc.Arbitrary<Recipe> = fc.letrec<{ recipe: Recipe }>((tie) => ({
  recipe: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.record({ plain: fc.oneof(fc.jsonValue({ stringUnit: "binary" }), fc.double(), fc.string({ unit: "binary" })) }),
    fc.record({ leaf: fc.constantFrom(...Object.keys(LEAVES)) }),
    fc.record({
      kind: fc.constantFrom(...Object.keys(KINDS)),
      keys: fc.array(
        fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("__proto__", "toJSON", "length", "nodeType")),
      ),
      parts: fc.array(tie("recipe"), { maxLength: 4 }),
    }),
  ),
})).recipe;

/** Makes the value of a recipe. */
export function cook(recipe: Recipe): unknown {
  if ("plain" in recipe) return recipe.plain;
  if ("leaf" in recipe) return LEAVES[recipe.leaf]?.();
  return KINDS[recipe.kind]?.(recipe.keys, recipe.parts.map(cook));
}

function zip(keys: readonly string[], values: readonly unknown[]): [string, unknown][] {
  return values.map((value, i) => [keys[i] ?? `key${i}`, value]);
}

function fail(): never {
  throw new Error("hostile");
}
