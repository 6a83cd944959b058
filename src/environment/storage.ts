import type { KeyValueStorage } from "./environment.ts";

/**
 * Creates storage over `localStorage`.
 *
 * @param open Returns `localStorage`, anew for each use: in a sandboxed frame even naming it throws.
 */
export function createStorage(open: () => Storage): KeyValueStorage {
  const attempt = <T>(use: (device: Storage) => T, otherwise: T): T => {
    try {
      return use(open());
    } catch {
      return otherwise; // blocked by policy or user, or full
    }
  };
  return {
    get: (key) => attempt((device) => device.getItem(key), null),
    set: (key, value) =>
      attempt((device) => {
        device.setItem(key, value);
        return true;
      }, false),
    remove: (key) => attempt((device) => device.removeItem(key), undefined),
    keys: (prefix) => attempt((device) => Object.keys(device).filter((key) => key.startsWith(prefix)), []),
  };
}
