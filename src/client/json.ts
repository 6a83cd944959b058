import { MAX_JSON_VALUES } from "./base/limits.ts";

/**
 * Copies what an application passes in as JSON text.
 *
 * @throws {unknown} For what is no object or has too many values, and what a getter, a proxy, toJSON() or nesting deeper
 * than the engine takes throws.
 */
export function toJson(value: unknown): string {
  const text: string | undefined = JSON.stringify(value, createReplacer());
  if (text?.[0] !== "{") throw "no object";
  return text;
}

/** JSON's own semantics, and what applications pass in that JSON has no form for. */
function createReplacer(): (this: unknown, key: string, value: unknown) => unknown {
  /** The objects around the value as they are written, outermost first. */
  const path: unknown[] = [];
  /** The same as the application has them. */
  const originals: unknown[] = [];
  let room = MAX_JSON_VALUES;
  const spend = (): void => {
    // Objects that know each other are written on each path that leads to them: their text has no end to speak of.
    if (!room--) throw "too many values";
  };
  return function (_key, value) {
    spend();
    if (typeof value !== "object" || !value) return typeof value === "bigint" ? `${value}` : value;
    path.length = originals.length = path.indexOf(this) + 1; // whoever is done with is around it no longer
    if (originals.includes(value)) return "[Circular]";
    const form = formOf(value, spend);
    path.push(form);
    originals.push(value);
    return form;
  };
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
  const isMap = typeof tag === "string" && /^(Map|FormData|URLSearchParams|Headers)$/.test(tag);
  if (isMap || tag === "Set") {
    const items: unknown[] = [];
    for (const item of value as Iterable<unknown>) {
      spend();
      items.push(item);
    }
    return isMap ? Object.fromEntries(items as [string, unknown][]) : items;
  }
  if (value instanceof Error) return { name: value.name, message: value.message };
  // A DOM node, which has a tag, leads to the whole page, and so does a window.
  return (tag && typeof value.nodeType === "number") || value.window === value ? undefined : value;
}
