import type { KeyValueStorage } from "../environment/environment.ts";

/**
 * Whether the device lets pages use its storage: `"open"`, `"blocked"` as by a setting or a sandbox, `"full"` when it
 * can be read and erased, but not written.
 */
export type StorageAccess = "open" | "blocked" | "full";

/** Storage of a device, shared by its pages. */
export interface DeviceStorage {
  /** What is on the device. */
  readonly values: Map<string, string>;
  /** Opens, blocks or fills it. */
  setAccess(access: StorageAccess): void;
  /**
   * Returns the storage as one page sees it, which remembers for that page what the device refuses.
   *
   * @param onChange Hears, a microtask later, which key another page changed on the device.
   */
  open(onChange?: (key: string) => void): KeyValueStorage;
}

/** Creates storage of a device. */
export function createDeviceStorage(initial: Readonly<Record<string, string>> = {}): DeviceStorage {
  const values = new Map(Object.entries(initial));
  const pages = new Set<(key: string) => void>();
  let access: StorageAccess = "open";
  return {
    values,
    setAccess(next) {
      access = next;
    },
    open(onChange = () => {}) {
      const memory = new Map<string, string>();
      const tellOthers = (key: string): void => {
        for (const other of pages) if (other !== onChange) Promise.resolve(key).then(other);
      };
      pages.add(onChange);
      return {
        get: (key) => memory.get(key) ?? (access === "blocked" ? undefined : values.get(key)) ?? null,
        set(key, value) {
          if (access !== "open") {
            memory.set(key, value);
            return false;
          }
          memory.delete(key);
          values.set(key, value);
          tellOthers(key);
          return true;
        },
        remove(key) {
          memory.delete(key);
          if (access !== "blocked" && values.delete(key)) tellOthers(key);
        },
        keys(prefix) {
          const keys = new Set([...memory.keys(), ...(access === "blocked" ? [] : values.keys())]);
          return [...keys].filter((key) => key.startsWith(prefix));
        },
      };
    },
  };
}
