import { utf8Length } from "./utf8.ts";

/** Objects nested deeper are cut off (CONTRACT 11). */
export const MAX_DEPTH = 64;

/** The JSON text of an object; or why there is none: it's no object, or its text is over the limit. Empty for undefined. */
export interface Snapshot {
  /** JSON text. */
  readonly text?: string;
  /** Why there is none. */
  readonly failure?: "shape" | "size";
}

/** Anything, as far as copying it goes. */
type Value = bigint | string | Members;
type Members = { readonly [key: string | number]: unknown };
type Serializable = { toJSON(): unknown };

/**
 * Clones a value as JSON text (CONTRACT 11). Never throws, whatever the value does, and never works on
 * much more than the limit.
 */
export function snapshot(value: unknown, maxBytes: number): Snapshot {
  if (value === undefined) return {};
  /** Members and characters that may still be read; below zero every copy() on the stack gives up. */
  let left = maxBytes;
  /** Returns what it reads as plain data that JSON.stringify turns into the text that the contract asks for. */
  const copy = (read: () => unknown, ancestors: readonly unknown[]): unknown => {
    try {
      let value = read() as Value;
      if (typeof value === "bigint") value = String(value);
      const { length } = typeof value === "string" || Array.isArray(value) || ArrayBuffer.isView(value)
        ? value as ArrayLike<unknown>
        : [];
      left -= length > 0 ? length : 1;
      if (typeof value === "function" || left < 0) return undefined;
      if (typeof value !== "object" || !value) return value;
      if (ancestors.includes(value)) return "[Circular]";
      if (ancestors.length > MAX_DEPTH) return "[Truncated]";
      const path = [...ancestors, value];
      if (typeof value.toJSON === "function") return copy(() => (value as Serializable).toJSON(), path);
      if (
        value instanceof Number || value instanceof String || value instanceof Boolean || value instanceof BigInt
      ) {
        return copy(() => value.valueOf(), path);
      }
      if ((value.nodeType && value.nodeName) || value.window === value) return undefined;
      if (value instanceof Set) value = [...value] as unknown as Members;
      if (value instanceof Map) value = Object.fromEntries(value) as Members;
      if (value instanceof Error) value = { name: value.name, message: value.message };
      if (Array.isArray(value)) {
        return Array.from({ length: Number(value.length) }, (_, i) => copy(() => (value as Members)[i], path));
      }
      const members: Record<string, unknown> = { __proto__: null };
      for (const key of Object.keys(value)) members[key] = copy(() => value[key], path);
      return members;
    } catch {
      return "[Unreadable]"; // a proxy, getter or toJSON that throws
    }
  };
  const text = JSON.stringify(copy(() => value, [])) ?? "";
  if (left < 0 || utf8Length(text) > maxBytes) return { failure: "size" };
  return text[0] === "{" ? { text } : { failure: "shape" };
}
