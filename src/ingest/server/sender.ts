import { BlockList, isIPv6 } from "node:net";

/** Who sent a request, as far as its connection tells. */
export interface Sender {
  /** Address at the other end of the connection; undefined where it isn't known. */
  readonly address: string | undefined;
}

/** A sender of whom nothing is known. */
export const UNKNOWN_SENDER: Sender = { address: undefined };

/**
 * Creates the function that leaves out addresses of this machine and of private networks (RFC 1918, RFC 4193): behind
 * them is mostly a proxy, and behind that everybody.
 */
export function createStrangerFilter(): (address: string | undefined) => string | undefined {
  const nearby = new BlockList();
  for (const [network, bits] of [["127.0.0.0", 8], ["10.0.0.0", 8], ["172.16.0.0", 12], ["192.168.0.0", 16]] as const) {
    nearby.addSubnet(network, bits, "ipv4");
  }
  for (const [network, bits] of [["::1", 128], ["fc00::", 7], ["fe80::", 10]] as const) {
    nearby.addSubnet(network, bits, "ipv6");
  }
  return (address) => {
    // IPv4 on a socket for both versions.
    const plain = address?.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");
    return plain === undefined || nearby.check(plain, isIPv6(plain) ? "ipv6" : "ipv4") ? undefined : plain;
  };
}
