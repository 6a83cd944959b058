import { attempt } from "../base/attempt.ts";
import type { KeyValueStorage } from "./environment.ts";

/**
 * Creates storage over `localStorage`.
 *
 * @param open Returns `localStorage`, anew for each use: in a sandboxed frame even naming it throws.
 */
export const createStorage: (open: () => Storage) => KeyValueStorage = ((open) => {
  // Blocked by policy or user, or full.
  return {
    get: (key) => attempt(() => open().getItem(key)) ?? null,
    set: (key, value) => !!attempt(() => open().setItem(key, value) ?? true),
    remove: (key) => attempt(() => open().removeItem(key)),
    keys: (prefix) => attempt(() => Object.keys(open()).filter((key) => key.startsWith(prefix))) ?? [],
  };
}) satisfies typeof createStorage;
