import { MAX_JSON_DEPTH, MAX_JSON_VALUES } from "./base/limits.ts";

/**
 * Copies what an application passes in as JSON text.
 *
 * @throws {unknown} For what is no object, has too many values or nests too deep, and what a getter, a proxy or toJSON()
 * throws.
 */
export function toJson(input: unknown): string {
  const isPlain = !!input && Object.getPrototypeOf(input) === Object.prototype;
  const root: unknown = isPlain ? { ...input } : input; // which asks each getter once
  // Engines write what is flat several times as fast without a function that is asked for each value.
  if (isPlain && isFlat(Object.values(root as object))) return JSON.stringify(root);
  /** The objects around a value, outermost first: each as the application has it, then as it's written. */
  const path: unknown[] = [];
  let room = MAX_JSON_VALUES;
  const spend = (): void => {
    // Objects that know each other are written on each path that leads to them: their text has no end to speak of.
    if (!room--) throw "too many values";
  };
  function replace(this: unknown, _key: string, value: unknown): unknown {
    spend();
    if (typeof value !== "object" || !value) return typeof value === "bigint" ? `${value}` : value;
    path.length = path.lastIndexOf(this) + 1; // drops the objects whose members are all written
    if (path.includes(value) || (path[0] && value === input)) return "[Circular]";
    if (path.length >= 2 * MAX_JSON_DEPTH) throw "too deep";
    const form = formOf(value, spend);
    path.push(value, form);
    return form;
  }
  const text: string | undefined = JSON.stringify(root, replace);
  if (text?.[0] !== "{") throw "no object";
  return text;
}

const SCALARS: readonly string[] = ["string", "number", "boolean", "undefined"];

function isFlat(values: readonly unknown[]): boolean {
  const isScalar = (value: unknown): boolean => value === null || SCALARS.includes(typeof value);
  return values.length < MAX_JSON_VALUES && values.every(isScalar);
}

/** What is asked of a value to find its form. */
interface Formable {
  readonly [Symbol.toStringTag]?: unknown;
  readonly nodeType?: unknown;
  readonly window?: unknown;
}

function formOf(value: object & Formable, spend: () => void): unknown {
  // By its tag: a page may have something else under the name of a Map.
  const tag = value[Symbol.toStringTag];
  if (tag === "Map" || tag === "Set") {
    const items: unknown[] = [];
    for (const item of value as Iterable<unknown>) {
      spend();
      items.push(item);
    }
    return tag === "Map" ? Object.fromEntries(items as [string, unknown][]) : items;
  }
  if (value instanceof Error) return { name: value.name, message: value.message };
  // A DOM node, which has a tag, leads to the whole page, and so does a window.
  return (tag && typeof value.nodeType === "number") || value.window === value ? undefined : value;
}
