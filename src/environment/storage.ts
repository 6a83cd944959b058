import type { KeyValueStorage } from "./environment.ts";

/**
 * Creates storage over `localStorage`, with memory in its place wherever it refuses.
 *
 * @param open Returns `localStorage`, anew for each use: in a sandboxed frame even naming it throws.
 */
export function createStorage(open: () => unknown): KeyValueStorage {
  const memory = new Map<string, string>();
  const attempt = <T>(use: (device: Storage) => T): T | undefined => {
    try {
      return use(open() as Storage);
    } catch {
      return undefined; // blocked by policy or user, or full
    }
  };
  return {
    get: (key) => memory.get(key) ?? attempt((device) => device.getItem(key)) ?? null,
    set(key, value) {
      memory.set(key, value);
      return !!attempt((device) => {
        device.setItem(key, value);
        return memory.delete(key);
      });
    },
    remove(key) {
      memory.delete(key);
      attempt((device) => device.removeItem(key));
    },
    keys(prefix) {
      const keys = new Set([...memory.keys(), ...attempt((device) => Object.keys(device)) ?? []]);
      return [...keys].filter((key) => key.startsWith(prefix));
    },
  };
}
