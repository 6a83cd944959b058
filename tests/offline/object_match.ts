/**
 * Returns the part of the actual value that the expected one has too: common members of objects and maps, as many
 * items of an array as are expected, common values of sets; anything else as it is.
 */
export function projectOnto(actual: unknown, expected: unknown): unknown {
  return project(actual, expected, new Map());
}

type Seen = Map<object, Map<object, object>>;

function project(actual: unknown, expected: unknown, seen: Seen): unknown {
  if (!isContainer(actual) || !isContainer(expected)) return actual;
  const known = seen.get(actual)?.get(expected);
  if (known) return known;
  if (Array.isArray(actual) && Array.isArray(expected)) {
    return actual.slice(0, expected.length).map((item, index) => project(item, expected[index], seen));
  }
  if (actual instanceof Map && expected instanceof Map) {
    const common = [...actual].filter(([key]) => expected.has(key));
    return new Map(common.map(([key, value]) => [key, project(value, expected.get(key), seen)]));
  }
  if (actual instanceof Set && expected instanceof Set) return actual.intersection(expected);
  const part: Record<PropertyKey, unknown> = {};
  // Before the members, so that a cycle ends here; per pair, as one object may stand in two places.
  seen.set(actual, (seen.get(actual) ?? new Map()).set(expected, part));
  for (const key of Reflect.ownKeys(expected)) {
    if (key in actual) part[key] = project(Reflect.get(actual, key), Reflect.get(expected, key), seen);
  }
  return part;
}

// The rest is compared as a whole: its members are not its value.
function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null && !(value instanceof RegExp) && !(value instanceof Date);
}
