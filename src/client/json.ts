import { attempt } from "./base/attempt.ts";
import { MAX_JSON_VALUES } from "./base/limits.ts";

/**
 * Copies what an application passes in as JSON text. Never throws, whatever the value does.
 *
 * @returns Nothing for what is no object or can't be read.
 */
export function toJson(value: unknown): string | undefined {
  /** The objects around a value, outermost first: each as the application has it, then as it's written. */
  const path: unknown[] = [];
  let room = MAX_JSON_VALUES;
  function replace(this: unknown, _key: string, value: unknown): unknown {
    // Objects that know each other are written on each path that leads to them: their text has no end to speak of.
    if (!room--) throw room;
    if (typeof value !== "object" || !value) return typeof value === "bigint" ? `${value}` : value;
    path.length = path.indexOf(this) + 1; // whoever is done with is around it no longer
    if (path.includes(value)) return "[Circular]";
    const form = formOf(value);
    path.push(value, form);
    return form;
  }
  const text = attempt(() => JSON.stringify(value, replace));
  if (text?.[0] === "{") return text;
}

/** What is asked of a value to find its form. */
interface Formable {
  readonly [Symbol.toStringTag]?: unknown;
  readonly nodeType?: unknown;
  readonly nodeName?: unknown;
  readonly window?: unknown;
}

function formOf(value: object & Formable): unknown {
  // By its tag: a page may have something else under the name of a Map.
  const tag = value[Symbol.toStringTag];
  if (typeof tag === "string" && /^(Map|FormData|URLSearchParams|Headers)$/.test(tag)) {
    return Object.fromEntries(value as Iterable<[string, unknown]>);
  }
  if (tag === "Set") return [...value as Iterable<unknown>];
  if (value instanceof Error) return { name: value.name, message: value.message };
  // A DOM node leads to the whole page, and a window is one.
  const isNode = typeof value.nodeType === "number" && typeof value.nodeName === "string";
  return isNode || value.window === value ? undefined : value;
}
