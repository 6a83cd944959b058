/** Returns what one subscriber has: an IPv4 address, or the first 64 bits of an IPv6 address (RFC 6177). */
export function toNetwork(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  if (!plain.includes(":")) return plain;
  const [head = ""] = plain.split("::");
  return [...head.split(":"), "0", "0", "0", "0"].slice(0, 4).join(":");
}
