import { createPause } from "./pieces.ts";
import { findBuiltin, type Runtime } from "./builtin.ts";

/** The part of `node:crypto` in use. */
interface CryptoModule {
  readonly createHash: (algorithm: "sha256") => {
    update(text: string): { digest(encoding: "hex" | "base64"): string };
  };
}

/** Returns the SHA-256 of a text, in hexadecimal digits unless told otherwise. */
export type Digest = (text: string, encoding?: "hex" | "base64") => string | Promise<string>;

/**
 * Creates the digest of the runtime: the one of `node:crypto` where there is one, since Web Crypto hands its work to
 * a thread, which takes longer than all the rest of a small request.
 */
export function createDigest(runtime?: Runtime): Digest {
  const node = findBuiltin<CryptoModule>("node:crypto", runtime);
  if (node !== undefined) return (text, encoding = "hex") => node.createHash("sha256").update(text).digest(encoding);
  return async (text, encoding = "hex") => {
    const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
    if (encoding === "base64") return btoa(String.fromCharCode(...bytes));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  };
}

type Entries<K> = readonly (readonly [secret: string, key: K])[];

/** Number of secrets that are digested beside each other. */
const DIGESTED_AT_ONCE = 100;

/** The lookup of keys by a secret of theirs. */
export interface DigestLookup<K> {
  /** Returns the key of what was sent, or undefined. */
  find(sent: string): Promise<K | undefined>;
  /** Makes other keys ready. Resolves to the function that puts them in place of those before. */
  prepare(entries: Entries<K>): Promise<() => void>;
}

/**
 * Creates the lookup of keys by a secret of theirs. It looks for the digest of what was sent, so that the time it takes
 * says nothing of how much of a guess was right, nor which key it was close to.
 */
export function createDigestLookup<K>(
  entries: Entries<K>,
  digest: Digest = createDigest(),
): DigestLookup<K> {
  let current = entries;
  let byDigest: Promise<ReadonlyMap<string, K>> | undefined;
  /** The digests of the secrets, so that one more key costs one digest. */
  let known: ReadonlyMap<string, string> = new Map();

  async function index(entries: Entries<K>): Promise<ReadonlyMap<string, K>> {
    const pause = createPause();
    const digests = new Map<string, string>();
    const keys = new Map<string, K>();
    for (let start = 0; start < entries.length; start += DIGESTED_AT_ONCE) {
      await Promise.all(
        entries.slice(start, start + DIGESTED_AT_ONCE).map(async ([secret, key]) => {
          const text = known.get(secret) ?? await digest(secret);
          digests.set(secret, text);
          keys.set(text, key);
        }),
      );
      await pause();
    }
    known = digests;
    return keys;
  }

  // At the first request: some runtimes compute nothing while modules are loaded.
  function begin(): Promise<ReadonlyMap<string, K>> {
    const indexing = index(current);
    byDigest = indexing;
    indexing.catch(() => {
      // The next request tries again.
      if (byDigest === indexing) byDigest = undefined;
    });
    return indexing;
  }

  return {
    find: async (sent) => (await (byDigest ?? begin())).get(await digest(sent)),
    prepare: async (entries) => {
      const indexed = byDigest && await index(entries);
      return () => {
        byDigest = indexed && Promise.resolve(indexed);
        current = entries;
      };
    },
  };
}

const HASH_HEX_CHARACTERS = 32;

/** Returns the first 32 hexadecimal digits of a key's SHA-256: it stands for the key where that must not be. */
export async function hashKey(apiKey: string): Promise<string> {
  return (await createDigest()(apiKey)).slice(0, HASH_HEX_CHARACTERS);
}
