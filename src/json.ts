import { MAX_JSON_VALUES } from "./limits.ts";

/**
 * Copies what an application passes in as JSON text. Never throws, whatever the value does.
 *
 * @returns Nothing for what is no object or can't be read.
 */
export function toJson(value: unknown): string | undefined {
  try {
    const text = JSON.stringify(value, createReplacer());
    if (text[0] === "{") return text;
  } catch {
    // A getter, a proxy or toJSON() that throws, undefined, a function, nesting deeper than the engine takes, or too much.
  }
}

/** JSON's own semantics, and what applications pass in that JSON has no form for. */
function createReplacer(): (this: unknown, key: string, value: unknown) => unknown {
  /** The objects around the value as they are written, outermost first. */
  const path: unknown[] = [];
  let room = MAX_JSON_VALUES;
  return function (_key, value) {
    // Objects that know each other are written on each path that leads to them: their text has no end to speak of.
    if (!room--) throw room;
    if (typeof value !== "object" || !value) return typeof value === "bigint" ? `${value}` : value;
    path.length = path.indexOf(this) + 1; // whoever is done with is around it no longer
    if (path.includes(value)) return "[Circular]";
    const form = formOf(value);
    path.push(form);
    return form;
  };
}

function formOf(value: object & { nodeType?: unknown; nodeName?: unknown; window?: unknown }): unknown {
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Set) return [...value];
  if (value instanceof Error) return { name: value.name, message: value.message };
  // A DOM node leads to the whole page, and a window is one.
  const isNode = typeof value.nodeType === "number" && typeof value.nodeName === "string";
  return isNode || value.window === value ? undefined : value;
}
