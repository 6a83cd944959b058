/** Deep equality as `@std/assert` sees it: values, not references, with 0 equal to -0 and NaN to NaN. */
export function isEqual(actual: unknown, expected: unknown): boolean {
  return compare(actual, expected, new Map());
}

type Seen = Map<object, object>;

function compare(a: unknown, b: unknown, seen: Seen): boolean {
  if (a === b || Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (!haveSamePrototype(a, b)) return false;
  if (a instanceof WeakMap || a instanceof WeakSet) {
    throw new TypeError(`Cannot compare ${a.constructor.name} instances`);
  }
  if (a instanceof Date && b instanceof Date) return Object.is(a.getTime(), b.getTime());
  if (a instanceof RegExp || a instanceof URL || a instanceof URLSearchParams) return String(a) === String(b);
  if (a instanceof ArrayBuffer && b instanceof ArrayBuffer) return compare(new Uint8Array(a), new Uint8Array(b), seen);
  // A cycle is equal when both sides close it at the same place.
  if (seen.get(a) === b) return true;
  seen.set(a, b);
  if (a instanceof Set && b instanceof Set) return a.size === b.size && matchAll([...a], [...b], seen);
  if (a instanceof Map && b instanceof Map) return a.size === b.size && matchAll([...a], [...b], seen);
  return compareMembers(a, b, seen);
}

// A plain object and one without a prototype hold the same data: `@std/assert` takes them for equal, node:assert doesn't.
function haveSamePrototype(a: object, b: object): boolean {
  const [first, second] = [Object.getPrototypeOf(a) ?? Object.prototype, Object.getPrototypeOf(b) ?? Object.prototype];
  return first === second;
}

function matchAll(entries: readonly unknown[], candidates: unknown[], seen: Seen): boolean {
  return entries.every((entry) => {
    const index = candidates.findIndex((candidate) => compare(entry, candidate, new Map(seen)));
    if (index >= 0) candidates.splice(index, 1);
    return index >= 0;
  });
}

function compareMembers(a: object, b: object, seen: Seen): boolean {
  const keys = memberKeys(a);
  if (keys.length !== memberKeys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && compare(Reflect.get(a, key), Reflect.get(b, key), seen));
}

function memberKeys(value: object): (string | symbol)[] {
  // `message` of an error isn't enumerable but is its value; `stack` says where it was made, not what it is.
  if (value instanceof Error) return Reflect.ownKeys(value).filter((key) => key !== "stack");
  return Reflect.ownKeys(value).filter((key) => Object.prototype.propertyIsEnumerable.call(value, key));
}
