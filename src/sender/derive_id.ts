/** Bytes of a UUID. */
const UUID_BYTES = 16;

/**
 * Creates what makes a UUID of an ID, always the same under a secret: the first 16 bytes of HMAC-SHA-256 of the ID under
 * the secret, both in UTF-8, with version 8 and variant set (RFC 9562, 5.8). Were it made of the ID alone, everybody
 * could tell which UUID an event will have, and everybody with the publishable key could send one with that UUID first.
 */
export function createIdDeriver(secret: string): (id: string) => Promise<string> {
  const encoder = new TextEncoder();
  let importing: Promise<CryptoKey> | undefined;

  return async (id) => {
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    // At the first ID: some runtimes compute nothing while modules are loaded.
    importing ??= crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
    const digest = await crypto.subtle.sign("HMAC", await importing, encoder.encode(id));
    const bytes = new Uint8Array(digest, 0, UUID_BYTES);
    bytes[6] = 0x80 | (bytes[6] ?? 0) & 0x0f;
    bytes[8] = 0x80 | (bytes[8] ?? 0) & 0x3f;
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  };
}
