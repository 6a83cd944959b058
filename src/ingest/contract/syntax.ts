/**
 * Syntax of the parts of a request.
 *
 * @module
 */

/** Returns whether a request can have the path: one that starts with a slash, and is encoded as a URL has it. */
export function isPath(text: string): boolean {
  // Put together as text: a path may begin with two slashes, which would name a host.
  const url = `http://localhost${text}`;
  return text.startsWith("/") && URL.canParse(url) && new URL(url).pathname === text;
}

/** Returns whether a header can hold the text as it is (Fetch standard, header value; Latin-1). */
export function isHeaderValue(text: string): boolean {
  return text === text.trim() && /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}

/** Returns what one subscriber has: an IPv4 address, or the first 64 bits of an IPv6 address (RFC 6177). */
export function toNetwork(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  if (!plain.includes(":")) return plain;
  const [head = ""] = plain.split("::");
  return [...head.split(":"), "0", "0", "0", "0"].slice(0, 4).join(":");
}
