const HASH_HEX_CHARACTERS = 32;

/** Returns the first 32 hexadecimal digits of a key's SHA-256: it stands for the key where that must not be. */
export async function hashKey(apiKey: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(apiKey));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.slice(0, HASH_HEX_CHARACTERS);
}
