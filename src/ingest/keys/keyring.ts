import { createDigestLookup } from "./digest.ts";
import { isHeaderValue } from "../request/syntax.ts";
import type { IngestKey } from "../options.ts";
import { findRateLimitProblem } from "./token_bucket.ts";

/** A key with its defaults. */
export type ResolvedKey = IngestKey & Required<Pick<IngestKey, "name">>;

/** The keys that may send. */
export interface Keyring {
  /** Every key. */
  readonly keys: readonly ResolvedKey[];
  /** Returns the key, or undefined for an unknown or missing one. */
  find(apiKey: string | null): Promise<ResolvedKey | undefined>;
}

/**
 * Creates the lookup of keys.
 *
 * @throws {TypeError} When there is no key, one that could never match a request, or one listed twice.
 */
export function createKeyring(keys: readonly IngestKey[]): Keyring {
  const resolved = resolveKeys(keys);
  const find = createDigestLookup(resolved.map((key) => [key.apiKey, key] as const));
  return {
    keys: resolved,
    find: (apiKey) => apiKey === null ? Promise.resolve(undefined) : find(apiKey),
  };
}

/** Returns whether a page of this origin may send with the key. */
export function isRegistered(key: IngestKey, origin: string | null): boolean {
  if (key.origins === "any") return true;
  return origin !== null && key.origins.includes(origin);
}

function resolveKeys(keys: readonly IngestKey[]): readonly ResolvedKey[] {
  if (keys.length === 0) throw new TypeError("keys must name at least one key");
  const seen = { apiKey: new Set<string>(), name: new Set<string>() };
  return keys.map((given, index) => {
    const key = { ...given, name: given.name ?? `key-${index + 1}` };
    const twice = (["apiKey", "name"] as const).find((field) => seen[field].has(key[field]));
    const isKey = keys.some(({ apiKey }) => apiKey === key.name);
    const problem = findProblem(key) ?? (twice && `${twice} is listed twice`) ??
      (isKey ? "name must not be a key: it is for logs" : undefined);
    if (problem !== undefined) throw new TypeError(`keys[${index}].${problem}`);
    seen.apiKey.add(key.apiKey);
    seen.name.add(key.name);
    return key;
  });
}

// A typo here would refuse every request of a site, and only at run time. Messages hold no key.
function findProblem({ apiKey, origins, rateLimit, pageviewAllowance = 0 }: IngestKey): string | undefined {
  if (apiKey === "" || apiKey.trim() !== apiKey) return "apiKey must be a non-empty string without spaces";
  if (!isHeaderValue(apiKey)) return "apiKey must hold only characters that a header can";
  if (!(pageviewAllowance >= 0)) return "pageviewAllowance must be a number of at least 0";
  const limitProblem = rateLimit && findRateLimitProblem(rateLimit);
  if (limitProblem !== undefined) return `rateLimit.${limitProblem}`;
  if (origins === "any") return undefined;
  if (origins.length === 0) return 'origins must name at least one origin, or be "any"';
  const index = origins.findIndex((origin) => !isOrigin(origin));
  if (index >= 0) return `origins[${index}] must be an origin such as "https://shop.example"`;
}

function isOrigin(text: string): boolean {
  // The URL standard takes an asterisk, which no page's host has: whoever writes one wants every site of a domain.
  return text === "null" || (URL.canParse(text) && new URL(text).origin === text && !text.includes("*"));
}
