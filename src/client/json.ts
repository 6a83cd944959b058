import { MAX_JSON_DEPTH, MAX_JSON_VALUES, MAX_PLAIN_VALUES } from "./base/limits.ts";

/**
 * Copies what an application passes in as JSON text.
 *
 * @throws {unknown} For what is no object, has too many values or nests too deep, and what a getter, a proxy or toJSON()
 * throws.
 */
export function toJson(input: unknown): string {
  let room = MAX_PLAIN_VALUES;
  /** Returns whether JSON writes all of a value as it is; lists may have holes, which it fills. */
  const isPlain = (value: unknown): boolean =>
    Object(value) === value
      ? [Object, Array].includes((value as Plain).constructor as never) &&
        !((value as Plain).toJSON || (value as Plain).length > room) &&
        Object.values(value as Plain).every((member) => room-- > 0 && isPlain(member))
      : typeof value !== "bigint";
  /** The objects around a value, outermost first: each as the application has it, then as it's written. */
  const path: unknown[] = [];
  let left = MAX_JSON_VALUES;
  function replace(this: unknown, _key: string, value: unknown): unknown {
    // Objects that know each other are written on each path that leads to them: their text has no end to speak of.
    if (!left--) throw new Error("too large");
    if (Object(value) !== value) return typeof value === "bigint" ? `${value}` : value;
    path.length = path.lastIndexOf(this) + 1; // drops the objects whose members are all written
    if (path.includes(value)) return "[Circular]";
    if (path.length >= 2 * MAX_JSON_DEPTH) throw new Error("too large");
    const form = formOf(value as object);
    path.push(value, form);
    return form;
  }
  // Engines write what is plain several times as fast without a function that is asked for each value.
  const text: string | undefined = isPlain(input) ? JSON.stringify(input) : JSON.stringify(input, replace);
  if (text?.[0] !== "{") throw new Error("no object");
  return text;
}

/** Members that tell whether an object is plain; a list has a length. */
interface Plain {
  readonly toJSON?: unknown;
  readonly length: number;
}

/** Members that tell the form of a value. */
interface Formable {
  readonly [Symbol.toStringTag]?: unknown;
  readonly nodeType?: unknown;
  readonly window?: unknown;
}

function formOf(value: object & Formable): unknown {
  // By its tag: a page may have something else under the name of a Map.
  const tag = value[Symbol.toStringTag];
  if (tag === "Map") return Object.fromEntries(value as Iterable<[string, unknown]>);
  if (tag === "Set") return [...value as Iterable<unknown>];
  if (value instanceof Error) return { name: value.name, message: value.message };
  // A DOM node, which has a tag, leads to the whole page, and so does a window.
  return (tag && typeof value.nodeType === "number") || value.window === value ? undefined : value;
}
