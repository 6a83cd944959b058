import { STORAGE_PREFIX } from "../../client/base/keys.ts";
import type { PageEnvironment } from "../../client/platform/environment.ts";

/** A key of the SDK on the device, and what it's for. */
export interface StoredKey {
  /** The key. */
  readonly key: string;
  /** Its purpose. */
  readonly meaning: string;
}

/**
 * Returns the keys of the SDK on the device, in order; for granted consent alone. It reads the values of what is
 * undelivered, and no others: an environment may take the reading of a visitor for a look of the client.
 */
export function readDevice({ storage }: Pick<PageEnvironment, "storage">): readonly StoredKey[] {
  const explain = (key: string): string => {
    const name = key.slice(STORAGE_PREFIX.length);
    if (name === "visitor") return "the visitor, a random ID";
    if (name === "session") return "the session, a random ID and two times";
    if (name.startsWith("lease.")) return "a page that lives, and sends its own events";
    if (!name.startsWith("outbox.")) return "";
    const count = `${storage.get(key)}`.split("\n").length;
    return `${count} undelivered ${count === 1 ? "event" : "events"}`;
  };
  return [...storage.keys(STORAGE_PREFIX)].sort().map((key) => ({ key, meaning: explain(key) }));
}
