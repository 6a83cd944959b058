import type { IngestKey } from "./options.ts";

/** A key with its defaults. */
export type ResolvedKey = IngestKey & Required<Pick<IngestKey, "name">>;

/** The keys that may send. */
export interface Keyring {
  /** Returns the key, or undefined for an unknown or missing one. */
  find(apiKey: string | null): ResolvedKey | undefined;
}

/**
 * Creates the lookup of keys.
 *
 * @throws {TypeError} When there is no key, or one that could never match a request.
 */
export function createKeyring(keys: readonly IngestKey[]): Keyring {
  if (keys.length === 0) throw new TypeError("keys must name at least one key");
  const byKey = new Map<string, ResolvedKey>();
  for (const [index, key] of keys.entries()) {
    const problem = findProblem(key);
    if (problem !== undefined) throw new TypeError(`keys[${index}].${problem}`);
    if (byKey.has(key.apiKey)) throw new TypeError(`keys[${index}].apiKey is listed twice`);
    byKey.set(key.apiKey, { ...key, name: key.name ?? `key-${index + 1}` });
  }
  return { find: (apiKey) => apiKey === null ? undefined : byKey.get(apiKey) };
}

/** Returns whether a page of this origin may send with the key (CONTRACT 27). */
export function isRegistered(key: IngestKey, origin: string | null): boolean {
  if (key.origins === "any") return true;
  return origin !== null && key.origins.includes(origin);
}

// A typo here would refuse every request of a site, and only at run time. Messages hold no key.
function findProblem(key: IngestKey): string | undefined {
  if (key.apiKey === "" || key.apiKey.trim() !== key.apiKey) return "apiKey must be a non-empty string without spaces";
  if (key.origins === "any") return undefined;
  const index = key.origins.findIndex((origin) => !isOrigin(origin));
  if (index >= 0) return `origins[${index}] must be an origin such as "https://shop.example"`;
}

function isOrigin(text: string): boolean {
  return text === "null" || (URL.canParse(text) && new URL(text).origin === text);
}
