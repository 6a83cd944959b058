import type { Cancel, KeyValueStorage, StorageChange } from "../client/platform/environment.ts";

/**
 * Whether the device lets pages use its storage: `"open"`, `"blocked"` as by a setting or a sandbox, `"full"` when it
 * can be read and erased, but not written.
 */
export type StorageAccess = "open" | "blocked" | "full";

/** Storage of a device as one page sees it. */
export interface PageStorage extends KeyValueStorage {
  /** Hears, a microtask later, what another page changed on the device. */
  listen(listener: (change: StorageChange) => void): Cancel;
  /** Erases everything, as the site's own scripts do with `localStorage.clear()`. */
  clear(): void;
}

/** Storage of a device, shared by its pages. */
export interface DeviceStorage {
  /** Values on the device, by key. */
  readonly values: Map<string, string>;
  /** Opens, blocks or fills it. */
  setAccess(access: StorageAccess): void;
  /** Returns the storage as a page sees it. */
  open(): PageStorage;
}

/** Creates storage of a device. */
export function createDeviceStorage(initial: Readonly<Record<string, string>> = {}): DeviceStorage {
  const values = new Map(Object.entries(initial));
  const subscriptions = new Set<{ readonly page: object; readonly listener: (change: StorageChange) => void }>();
  let access: StorageAccess = "open";
  return {
    values,
    setAccess(next) {
      access = next;
    },
    open() {
      const page = {};
      const tellOthers = (change: StorageChange): void => {
        Promise.resolve().then(() => {
          // Those who listen by then, as in a browser: a page may have listened anew meanwhile.
          for (const { page: other, listener } of [...subscriptions]) if (other !== page) listener(change);
        });
      };
      return {
        get: (key) => (access === "blocked" ? undefined : values.get(key)) ?? null,
        set(key, value) {
          if (access !== "open") return false;
          const oldValue = values.get(key) ?? null;
          if (oldValue !== value) tellOthers({ key, newValue: value, oldValue });
          values.set(key, value);
          return true;
        },
        remove(key) {
          const oldValue = values.get(key) ?? null;
          if (access !== "blocked" && values.delete(key)) tellOthers({ key, newValue: null, oldValue });
        },
        keys: (prefix) => access === "blocked" ? [] : [...values.keys()].filter((key) => key.startsWith(prefix)),
        listen(listener) {
          const subscription = { page, listener };
          subscriptions.add(subscription);
          return () => void subscriptions.delete(subscription);
        },
        clear() {
          if (access === "blocked") return;
          values.clear();
          tellOthers({ key: null, newValue: null, oldValue: null });
        },
      };
    },
  };
}
