/** The part of `node:crypto` in use. */
interface CryptoModule {
  readonly createHash: (algorithm: "sha256") => {
    update(text: string): { digest(encoding: "hex"): string };
  };
}

interface Runtime {
  readonly process?: { readonly getBuiltinModule?: (id: string) => CryptoModule | undefined };
}

/** Returns the SHA-256 of a text in hexadecimal digits. */
export type Digest = (text: string) => string | Promise<string>;

/**
 * Creates the digest of the runtime: the one of `node:crypto` where there is one, since Web Crypto hands its work to
 * a thread, which takes longer than all the rest of a small request.
 */
export function createDigest({ process }: Runtime = globalThis as Runtime): Digest {
  const node = process?.getBuiltinModule?.("node:crypto");
  if (node !== undefined) return (text) => node.createHash("sha256").update(text).digest("hex");
  return async (text) => {
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
    return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  };
}

const HASH_HEX_CHARACTERS = 32;

/** Returns the first 32 hexadecimal digits of a key's SHA-256: it stands for the key where that must not be. */
export async function hashKey(apiKey: string): Promise<string> {
  return (await createDigest()(apiKey)).slice(0, HASH_HEX_CHARACTERS);
}
