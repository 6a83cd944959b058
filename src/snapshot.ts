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

/**
 * Clones a value as JSON text (CONTRACT 11). Never throws, whatever the value does, and never works on
 * much more than the limit.
 */
export function snapshot(value: unknown, maxBytes: number): Snapshot {
  if (value === undefined) return {};
  const ancestors: unknown[] = [];
  /** Members and characters that may still be read; below zero every copy() on the stack gives up. */
  let left = maxBytes;
  /** Returns plain data that JSON.stringify turns into the text that the contract asks for. */
  const copy = (value: unknown): unknown => {
    if (typeof value === "bigint") value = `${value}`;
    left -= typeof value === "string" ? value.length : 1;
    if (typeof value === "function") return undefined;
    if (typeof value !== "object" || !value || left < 0) return value;
    if (ancestors.includes(value)) return "[Circular]";
    if (ancestors.length > MAX_DEPTH) return "[Truncated]";
    ancestors.push(value);
    try {
      return copyObject(value as Record<string, unknown>);
    } catch {
      return "[Unreadable]"; // a proxy, getter or toJSON that throws
    } finally {
      ancestors.pop();
    }
  };
  const copyObject = (value: Record<string, unknown>): unknown => {
    if (typeof value.toJSON === "function") return copy(value.toJSON());
    const kind = Object.prototype.toString.call(value).slice(8, -1);
    if (/^(Number|String|Boolean|BigInt)$/.test(kind)) return copy(value.valueOf());
    if ((value.nodeType && value.nodeName) || value.window === value) return undefined;
    if (kind === "Set") value = [...value as never] as never;
    if (kind === "Map") value = Object.fromEntries(value as never);
    if (kind === "Error" || value instanceof Error) value = { name: value.name, message: value.message };
    const isArray = Array.isArray(value);
    if (isArray || ArrayBuffer.isView(value)) left -= value.length as number;
    if (left < 0) return undefined;
    if (isArray) return Array.from(value as never, copy);
    const members: Record<string, unknown> = { __proto__: null };
    for (const key of Object.keys(value)) members[key] = copy(read(value, key));
    return members;
  };
  const copied = copy(value);
  const text = left < 0 ? undefined : JSON.stringify(copied);
  if (left < 0 || utf8Length(text ?? "") > maxBytes) return { failure: "size" };
  return text?.[0] === "{" ? { text } : { failure: "shape" };
}

function read(value: Record<string, unknown>, key: string): unknown {
  try {
    return value[key];
  } catch {
    return "[Unreadable]"; // costs this member only
  }
}
