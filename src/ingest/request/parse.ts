import { buildMalformed, type Refusal } from "./refusal.ts";

/**
 * Deepest nesting of a body. The SDK cuts properties and traits at 64 levels; beyond this
 * bound recursive code, ours or a sink's, could run out of stack.
 */
const MAX_NESTING_LEVELS = 100;

/** A body as parsed and its text, or why it wasn't parsed. */
export type Parsed = { readonly body: unknown; readonly text: string } | { readonly refusal: Refusal };

/**
 * Parses the UTF-8 JSON text of a body. The result is safe to walk recursively and holds no own `__proto__`
 * key, which would become a prototype as soon as somebody copied it by assignment.
 */
export function parseBody(bytes: Uint8Array): Parsed {
  const text = decode(bytes);
  if (text === undefined) return { refusal: buildMalformed("body must be UTF-8") };
  const parsed = parse(text);
  if (parsed === undefined) return { refusal: buildMalformed("body must be JSON") };
  if (isTooDeep(parsed.body, 1)) {
    return { refusal: buildMalformed(`body must not nest deeper than ${MAX_NESTING_LEVELS} levels`) };
  }
  return { ...parsed, text };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // Bytes that aren't UTF-8 are the sender's fault, not an error here.
    return undefined;
  }
}

function parse(text: string): { readonly body: unknown } | undefined {
  try {
    return { body: JSON.parse(text) };
  } catch {
    // The engine's message quotes the text, so it can't be passed on.
    return undefined;
  }
}

function isTooDeep(value: unknown, level: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (level > MAX_NESTING_LEVELS) return true;
  if (Array.isArray(value)) return value.some((item) => isTooDeep(item, level + 1));
  if (Object.hasOwn(value, "__proto__")) Reflect.deleteProperty(value, "__proto__");
  // Faster than a list of the values, which each object would make anew; parsed JSON inherits nothing enumerable.
  for (const name in value) {
    if (isTooDeep(Reflect.get(value, name), level + 1)) return true;
  }
  return false;
}
