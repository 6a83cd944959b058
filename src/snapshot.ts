import { utf8Length } from "./utf8.ts";

/** Objects nested deeper are cut off. */
export const MAX_DEPTH = 64;

/** The JSON text of an object; or why there is none: it's no object, or its text is over the limit. Empty for undefined. */
export interface Snapshot {
  /** JSON text. */
  readonly text?: string;
  /** How many UTF-8 bytes the text has more than UTF-16 units. */
  readonly extraBytes?: number;
  /** Why there is none. */
  readonly failure?: "shape" | "size";
}

/** An object that is being copied, and the one around it. */
interface Ancestor {
  readonly value: object;
  readonly depth: number;
  readonly above: Ancestor | undefined;
  /** Whether its `toJSON` gave what is copied next: that one's own isn't called, as JSON doesn't. */
  readonly isJson?: boolean;
}

type Members = { [key: string | number]: unknown };

/** How many members and characters may still be read; below zero every loop on the stack gives up. */
interface Allowance {
  left: number;
}

/**
 * Clones a value as JSON text. Reads each member once. Never throws, whatever the value does, and never
 * works on much more than the limit.
 */
export function snapshot(value: unknown, maxBytes: number): Snapshot {
  if (value === undefined) return {};
  if (typeof value !== "object") return { failure: "shape" };
  const allowance = { left: maxBytes };
  const result = copy({ value }, "value", allowance);
  if (allowance.left >= 0) {
    const text = JSON.stringify(result);
    if (text?.[0] !== "{") return { failure: "shape" };
    const bytes = utf8Length(text);
    if (bytes <= maxBytes) return { text, extraBytes: bytes - text.length };
  }
  return { failure: "size" };
}

/** Returns a copy of a member that `JSON.stringify()` can be trusted with; undefined for what is left out. */
function copy(holder: Members, key: string | number, allowance: Allowance, above?: Ancestor): unknown {
  try {
    const value = holder[key];
    const type = typeof value;
    allowance.left -= type === "string" ? (value as string).length : 1;
    if (type === "bigint") return `${value}`;
    if (type === "function") return undefined; // JSON leaves symbols out
    if (type !== "object" || !value) return value;
    for (let each = above; each; each = each.above) if (each.value === value) return "[Circular]";
    const depth = above ? above.depth + 1 : 0;
    return depth > MAX_DEPTH ? "[Truncated]" : copyObject(value as Members, allowance, { value, depth, above });
  } catch {
    return "[Unreadable]"; // a proxy, getter or toJSON that throws
  }
}

function copyObject(value: Members, allowance: Allowance, here: Ancestor): unknown {
  const { toJSON } = value;
  if (typeof toJSON === "function" && !here.above?.isJson) {
    const json = toJSON.call(value);
    if (json !== value) return copy({ json }, "json", allowance, { ...here, isJson: true });
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== Array.prototype) {
    if (value instanceof Number || value instanceof String || value instanceof Boolean || value instanceof BigInt) {
      return copy({ value: value.valueOf() }, "value", allowance, here);
    }
    if (value.window === value || (typeof value.nodeType === "number" && typeof value.nodeName === "string")) {
      return undefined; // a DOM node, or the page itself
    }
    if (value instanceof Set) value = [...value] as unknown as Members;
    if (value instanceof Map) value = Object.fromEntries(value) as Members;
    // By name, too: a frame's are of a class of their own.
    if (value instanceof Error || Object.prototype.toString.call(value) === "[object Error]") {
      value = { name: value.name, message: value.message };
    }
  }
  const isArray = Array.isArray(value);
  const length = isArray || ArrayBuffer.isView(value) ? value.length as number : 0;
  if (length > allowance.left) allowance.left = -1;
  if (isArray) {
    const list: unknown[] = [];
    for (let i = 0; i < length && allowance.left >= 0; i++) list.push(copy(value, i, allowance, here));
    return list;
  }
  const members: Members = {};
  for (const key of allowance.left < 0 ? [] : Object.keys(value)) {
    if (allowance.left < 0) break;
    allowance.left -= key.length;
    const member = copy(value, key, allowance, here);
    if (key === "__proto__") Object.defineProperty(members, key, { value: member, enumerable: true });
    else members[key] = member;
  }
  return members;
}
