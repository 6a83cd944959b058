/** An address as a number, of 32 or 128 bits. */
interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/** The addresses that begin with the same bits. */
interface Network extends Address {
  /** Number of the last bits that may be any. */
  readonly free: bigint;
}

/** The begin of IPv4 within IPv6 (RFC 4291, 2.5.5.2), before the last 32 bits. */
const MAPPED = 0xffffn;

/** Returns whether a text is an address, or a network: an address, a slash and the bits that count. */
export function isNetwork(text: string): boolean {
  return readNetwork(text) !== undefined;
}

/** Creates the function that says whether an address is of one of the networks. */
export function createAddressCheck(networks: readonly string[]): (address: string) => boolean {
  const read = networks.flatMap((network) => readNetwork(network) ?? []);
  return (text) => {
    const address = read.length === 0 ? undefined : readAddress(text);
    return address !== undefined &&
      read.some(({ bits, value, free }) => bits === address.bits && value >> free === address.value >> free);
  };
}

function readNetwork(text: string): Network | undefined {
  const [head = "", length, ...rest] = text.split("/");
  const address = readAddress(head);
  if (address === undefined || rest.length > 0) return undefined;
  if (length === undefined) return { ...address, free: 0n };
  const isLength = /^\d{1,3}$/.test(length) && Number(length) <= address.bits;
  return isLength ? { ...address, free: BigInt(address.bits - Number(length)) } : undefined;
}

function readAddress(text: string): Address | undefined {
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)) {
    const bytes = text.split(".").map(Number);
    return bytes.every((byte) => byte <= 255) ? { bits: 32, value: join(bytes, 8n) } : undefined;
  }
  const url = `http://[${text}]`;
  if (!/^[\da-f:.]+$/i.test(text) || !URL.canParse(url)) return undefined;
  // A URL has it in words of 16 bits, with `::` for the longest run of zeros.
  const [head = [], tail = []] = new URL(url).hostname.slice(1, -1).split("::").map((words) =>
    words.split(":").filter((word) => word !== "").map((word) => Number.parseInt(word, 16))
  );
  const zeros = Array<number>(8 - head.length - tail.length).fill(0);
  const value = join([...head, ...zeros, ...tail], 16n);
  return value >> 32n === MAPPED ? { bits: 32, value: BigInt.asUintN(32, value) } : { bits: 128, value };
}

function join(parts: readonly number[], bits: bigint): bigint {
  return parts.reduce((value, part) => value << bits | BigInt(part), 0n);
}
