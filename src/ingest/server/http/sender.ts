import { BlockList, isIP, isIPv6 } from "node:net";
import type { ReadBody } from "../../http/body.ts";
import { ServerFault } from "../ops/server_fault.ts";

/** Who sent a request. */
export interface Sender {
  /** Address of the sender; undefined where it isn't known, or may be everybody's. */
  readonly address: string | undefined;
}

/** Somebody of whom nothing is known. */
export const UNKNOWN: Sender = { address: undefined };

/** The other end of a connection. */
export interface Peer {
  /** Its address; undefined where it isn't known. */
  readonly address: string | undefined;
  /** Reads the body of the request, where the request doesn't hold it. */
  readonly readBody?: ReadBody;
}

/** Finds the address of the sender, of the address at the other end of the connection and the request's headers. */
export type FindAddress = (peer: string | undefined, headers: Headers) => string | undefined;

/** This machine and private networks (RFC 1918, RFC 3927, RFC 4193, RFC 4291). */
const NEARBY: readonly string[] = [
  "127.0.0.0/8",
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "169.254.0.0/16",
  "::1",
  "fc00::/7",
  "fe80::/10",
];

/**
 * Creates the function that finds the address of a sender. Of a trusted proxy it is the one that the proxy forwards: of
 * `X-Forwarded-For` the last that isn't a trusted proxy's as well, since whoever sends may have written those before.
 * Without trusted proxies nobody nearby has one: there is mostly a proxy, and behind that everybody.
 *
 * @throws {ServerFault} When a proxy is neither an address nor a network.
 */
export function createAddressFinder(trustedProxies: readonly string[]): FindAddress {
  const proxies = buildList(trustedProxies);
  const nearby = buildList(NEARBY);
  const isIn = (list: BlockList, address: string): boolean => list.check(address, isIPv6(address) ? "ipv6" : "ipv4");

  return (peer, headers) => {
    const address = toPlain(peer);
    if (address === undefined) return undefined;
    if (trustedProxies.length === 0) return isIn(nearby, address) ? undefined : address;
    if (!isIn(proxies, address)) return address;
    const forwarded = headers.get("X-Forwarded-For")?.split(",").map((part) => toPlain(part.trim())) ?? [];
    return forwarded.findLast((hop) => hop === undefined || !isIn(proxies, hop));
  };
}

/** Returns an address as it compares: IPv4 on a socket for both versions is IPv4. Undefined for what is none. */
function toPlain(address: string | undefined): string | undefined {
  const plain = address?.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "") ?? "";
  return isIP(plain) === 0 ? undefined : plain;
}

function buildList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    const longest = family === "ipv6" ? 128 : 32;
    if (isIP(address) === 0 || (bits !== undefined && !(/^\d+$/.test(bits) && Number(bits) <= longest))) {
      throw new ServerFault(`trust-proxy must be addresses or networks such as 10.0.0.0/8, not ${network}`);
    }
    list.addSubnet(address, Number(bits ?? longest), family);
  }
  return list;
}
