import type { ReportKey } from "./options.ts";
import { sha256 } from "./sha256.ts";

type KeyPair = Pick<ReportKey, "apiKey"> & Partial<Pick<ReportKey, "secretKey">>;

/** The keys whose reports can be read. */
export interface SecretKeys {
  /**
   * Finds the key whose secret a request carries in its header `Authorization`: as the password of Basic (RFC 7617),
   * whatever the user name, or as the token of Bearer (RFC 6750).
   */
  find(authorization: string | null): Promise<ReportKey | undefined>;
}

/** Fewest characters of a secret: what is shorter can be guessed. */
const MIN_SECRET_CHARACTERS = 16;

/** Fewest different characters of a secret; 16 random hexadecimal digits have fewer once in some 100,000 times. */
const MIN_DIFFERENT_CHARACTERS = 6;

/**
 * Creates the lookup of secret keys. How long it takes says nothing about how much of a guess was right, nor about
 * which key it was close to.
 *
 * @throws {TypeError} When there is no key, or a secret that is weak, publishable or used twice. Holds no secret.
 */
export function createSecretKeys(keys: readonly ReportKey[]): SecretKeys {
  if (keys.length === 0) throw new TypeError("keys must name at least one key");
  checkSecrets(keys);
  let hashed: Promise<readonly (readonly [ReportKey, Uint8Array])[]> | undefined;

  return {
    find: async (authorization) => {
      const candidate = await sha256(readSecret(authorization ?? ""));
      hashed ??= Promise.all(keys.map(async (key) => [key, await sha256(key.secretKey)] as const));
      let found: ReportKey | undefined;
      // All of them are compared, in full: no early way out.
      for (const [key, hash] of await hashed) found = isEqual(hash, candidate) ? key : found;
      return found;
    },
  };
}

/**
 * Checks the secrets of keys, some of which may have none.
 *
 * @throws {TypeError} When a secret is weak, publishable or used twice. Holds no secret.
 */
export function checkSecrets(keys: readonly KeyPair[]): void {
  for (const [index, { secretKey }] of keys.entries()) {
    const problem = secretKey === undefined ? undefined : findProblem(secretKey, keys, index);
    if (problem !== undefined) throw new TypeError(`keys[${index}].secretKey ${problem}`);
  }
}

function findProblem(secretKey: string, keys: readonly KeyPair[], index: number): string | undefined {
  // Anything else may come out differently after a browser's prompt or a shell.
  if (!/^[\x21-\x7e]*$/.test(secretKey)) return "must be printable ASCII without spaces";
  if (secretKey.length < MIN_SECRET_CHARACTERS) return `must have at least ${MIN_SECRET_CHARACTERS} characters`;
  if (new Set(secretKey).size < MIN_DIFFERENT_CHARACTERS) {
    return `must have at least ${MIN_DIFFERENT_CHARACTERS} different characters`;
  }
  if (keys.some(({ apiKey }) => apiKey === secretKey)) return "must not be a publishable key";
  if (keys.findIndex((key) => key.secretKey === secretKey) < index) return "is used twice";
}

function readSecret(authorization: string): string {
  const [, scheme = "", value = ""] = /^(Basic|Bearer) +([^ ]+) *$/i.exec(authorization) ?? [];
  return scheme.toLowerCase() === "basic" ? readPassword(value) : value;
}

function readPassword(base64: string): string {
  try {
    const credentials = atob(base64);
    const colon = credentials.indexOf(":");
    return colon < 0 ? "" : credentials.slice(colon + 1);
  } catch {
    // Not Base64, and so no password.
    return "";
  }
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.reduce((difference, byte, index) => difference | (byte ^ (other[index] ?? 0)), 0) === 0;
}
