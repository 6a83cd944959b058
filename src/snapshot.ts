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

type Members = { readonly [key: string | number]: unknown };

/**
 * Clones a value as JSON text (CONTRACT 11). Reads each member once. Never throws, whatever the value does, and never
 * works on much more than the limit.
 */
export function snapshot(value: unknown, maxBytes: number): Snapshot {
  if (value === undefined) return {};
  /** Members and characters that may still be read; below zero every write() on the stack gives up. */
  let left = maxBytes;
  /** Returns the JSON text of a member; undefined for what is left out. */
  const write = (holder: Members, key: string | number, ancestors: readonly unknown[]): string | undefined => {
    try {
      const value = holder[key];
      left -= typeof value === "string" ? value.length : 1;
      if (left < 0) return undefined;
      if (typeof value === "bigint") return `"${value}"`;
      if (typeof value !== "object" || !value) return JSON.stringify(value);
      if (ancestors.includes(value)) return '"[Circular]"';
      if (ancestors.length > MAX_DEPTH) return '"[Truncated]"';
      return writeObject(value as Members, [...ancestors, value]);
    } catch {
      return '"[Unreadable]"'; // a proxy, getter or toJSON that throws
    }
  };
  const writeObject = (value: Members, ancestors: readonly unknown[]): string | undefined => {
    if (typeof value.toJSON === "function") {
      const json = value.toJSON();
      if (json !== value) return write({ json }, "json", ancestors);
    }
    const prototype = Object.getPrototypeOf(value);
    if (prototype && prototype !== Object.prototype && prototype !== Array.prototype) {
      if (value instanceof Number || value instanceof String || value instanceof Boolean || value instanceof BigInt) {
        return write({ value: value.valueOf() }, "value", ancestors);
      }
      if (value.window === value || (typeof value.nodeType === "number" && typeof value.nodeName === "string")) {
        return undefined; // a DOM node, or the page itself
      }
      if (value instanceof Set) value = [...value] as unknown as Members;
      if (value instanceof Map) value = Object.fromEntries(value) as Members;
      if (value instanceof Error) value = { name: value.name, message: value.message };
    }
    const isArray = Array.isArray(value);
    const length = isArray || ArrayBuffer.isView(value) ? Number(value.length) : 0;
    if (length > left) left = -1;
    if (left < 0) return undefined;
    if (isArray) return `[${Array.from({ length }, (_, i) => write(value, i, ancestors) ?? "null")}]`;
    const members: string[] = [];
    for (const key of Object.keys(value)) {
      const text = write(value, key, ancestors);
      if (text) members.push(`${JSON.stringify(key)}:${text}`);
    }
    return `{${members}}`;
  };
  const text = write({ value }, "value", []) ?? "";
  if (left < 0 || utf8Length(text) > maxBytes) return { failure: "size" };
  return text[0] === "{" ? { text } : { failure: "shape" };
}
