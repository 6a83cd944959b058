import { BlockList, isIP, isIPv6 } from "node:net";
import type { IngestRequest } from "../../http/request.ts";
import { ServerFault } from "../ops/server_fault.ts";

type HeaderReader = IngestRequest["headers"];

/** Who sent a request. */
export interface Sender {
  /** Address of the sender; undefined where it isn't known, or may be everybody's. */
  readonly address: string | undefined;
}

/** A sender of unknown address. */
export const UNKNOWN: Sender = { address: undefined };

/** Finds the address of the sender, of the address at the other end of the connection and the request's headers. */
export type FindAddress = (peer: string | undefined, headers: HeaderReader) => string | undefined;

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

/** An element of `Forwarded`: a comma in quotes doesn't end it. */
const ELEMENT = /(?:"(?:\\.|[^"\\])*"|[^,"])+/g;

/** The sender in an element of `Forwarded`, in quotes or not. */
const FORWARDED_FOR = /(?:^|;)\s*for\s*=\s*"?([^";]*)/i;

/** An address with a port, as some proxies forward it; IPv6 has brackets, with a port or without. */
const WITH_PORT = /^(?:(\d+\.\d+\.\d+\.\d+):\w+|\[([^\]]*)\](?::\w+)?)$/;

/** IPv4 as a socket for both versions has it (RFC 4291, 2.5.5.2), as the URL standard writes it. */
const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/** An address as it was written. */
interface Hop {
  /** As it compares; undefined for what is none. */
  readonly plain: string | undefined;
  /** Whether it is a trusted proxy's, or nearby where none is trusted. */
  readonly isOfList: boolean;
}

/** Most addresses that are remembered. */
const MAX_KNOWN = 1000;

/** Characters of an unreadable hop that are shown. */
const MAX_TOLD_CHARACTERS = 60;

/**
 * Creates the function that finds the address of a sender. Of a trusted proxy it is the one that the proxy forwards: of
 * `X-Forwarded-For`, or `Forwarded` (RFC 7239) where that is missing, the last that isn't a trusted proxy's as well,
 * since the sender may have written those before. Without trusted proxies nobody nearby has one: there is mostly a
 * proxy, and behind that everybody.
 *
 * @param onUnreadable Hears of the first hop that is no address: its text, with `#` for each digit.
 * @throws {ServerFault} When a proxy is neither an address nor a network.
 */
export function createAddressFinder(
  trustedProxies: readonly string[],
  onUnreadable: (shape: string) => void = () => {},
): FindAddress {
  let isTold = false;
  const proxies = buildList(trustedProxies);
  const nearby = buildList(NEARBY);
  const isTrusting = trustedProxies.length > 0;
  const known = new Map<string, Hop>();

  function read(text: string): Hop {
    const hop = known.get(text);
    if (hop !== undefined) return hop;
    const plain = toPlain(text);
    const isOfList = plain !== undefined &&
      (isTrusting ? proxies : nearby).check(plain, isIPv6(plain) ? "ipv6" : "ipv4");
    // The same few connections and senders again and again; others could fill the memory.
    if (known.size === MAX_KNOWN) known.clear();
    const read = { plain, isOfList };
    known.set(text, read);
    return read;
  }

  return (peer = "", headers) => {
    const { plain: address, isOfList } = read(peer);
    if (address === undefined) return undefined;
    if (!isTrusting) return isOfList ? undefined : address;
    if (!isOfList) return address;
    for (const hop of listHops(headers).toReversed()) {
      const { plain, isOfList } = read(hop);
      if (plain === undefined) tell(hop);
      if (plain === undefined || !isOfList) return plain;
    }
  };

  function tell(hop: string): void {
    if (isTold) return;
    isTold = true;
    // It may hold an address after all, which the log has nothing to do with.
    onUnreadable(hop.slice(0, MAX_TOLD_CHARACTERS).replace(/[0-9a-f]/gi, "#"));
  }
}

/** Finds the country of the sender, of the address at the other end of the connection and the request's headers. */
export type FindCountry = (peer: string | undefined, headers: HeaderReader) => string | undefined;

/**
 * Creates the function that finds the country of a sender: a trusted proxy says it in a header. Of nobody else it is read, for
 * anybody can send it.
 *
 * @throws {ServerFault} When a proxy is neither an address nor a network.
 */
export function createCountryFinder(trustedProxies: readonly string[], header: string | undefined): FindCountry {
  const proxies = buildList(trustedProxies);
  return (peer = "", headers) => {
    const address = header === undefined ? undefined : toPlain(peer);
    if (header === undefined || address === undefined) return undefined;
    return proxies.check(address, isIPv6(address) ? "ipv6" : "ipv4") ? headers.get(header) ?? undefined : undefined;
  };
}

/** Returns the hops that the headers name, the first one first. */
function listHops(headers: HeaderReader): readonly string[] {
  const list = headers.get("X-Forwarded-For");
  if (list !== null) return list.split(",").map((hop) => hop.trim());
  const elements = headers.get("Forwarded")?.match(ELEMENT) ?? [];
  return elements.map((element) => FORWARDED_FOR.exec(element)?.[1]?.trim() ?? "");
}

/** Returns an address as it compares: without port and zone, IPv6 in one form, and IPv4 within it as IPv4. */
function toPlain(address: string): string | undefined {
  const [, ipv4, ipv6] = WITH_PORT.exec(address) ?? [];
  const plain = (ipv4 ?? ipv6 ?? address).replace(/%.*$/, "");
  const version = isIP(plain);
  if (version === 0) return undefined;
  if (version === 4) return plain;
  const shortest = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const [, high, low] = MAPPED.exec(shortest) ?? [];
  if (high === undefined || low === undefined) return shortest;
  return [high, low].flatMap((word) => toBytes(Number.parseInt(word, 16))).join(".");
}

function toBytes(word: number): readonly number[] {
  return [word >> 8, word & 0xff];
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
