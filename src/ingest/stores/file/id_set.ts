/** A set of hashes of 64 bits, in two halves. */
export interface IdSet {
  /** Adds a hash; returns whether it wasn't there. */
  add(high: number, low: number): boolean;
  /** Takes a hash out. */
  remove(high: number, low: number): void;
  /** Returns how many it holds. */
  size(): number;
}

/** A part of the set: linear probing, and nobody at home is two zeros. */
interface Part {
  lows: Uint32Array;
  highs: Uint16Array;
  size: number;
}

const PART_BITS = 12;

const FIRST_SLOTS = 16;

/** Full parts are looked through for long, and empty ones are memory: in the mean 8 bytes a hash. */
const [MAX_LOAD, GROWTH] = [0.85, 1.3] as const;

/**
 * Creates an empty set. It keeps 60 bits of each hash, 12 of them as the number of a part and 48 in a slot: with 20,000,000 in
 * it, a new one is taken for a known one with a chance of 1 in 50,000,000,000.
 */
export function createIdSet(): IdSet {
  const parts: Part[] = Array.from({ length: 1 << PART_BITS }, () => createPart(FIRST_SLOTS));
  let size = 0;

  function findPart(high: number): Part {
    // There is a part for each value of the bits.
    return parts[high & (1 << PART_BITS) - 1] as Part;
  }

  return {
    add(high, low) {
      const part = findPart(high);
      const slot = findSlot(part, high >>> 16, low);
      if (!isEmpty(part, slot)) return false;
      put(part, { slot, high: high >>> 16, low });
      if (part.size > part.lows.length * MAX_LOAD) grow(part);
      size += 1;
      return true;
    },
    remove(high, low) {
      const part = findPart(high);
      const slot = findSlot(part, high >>> 16, low);
      if (isEmpty(part, slot)) return;
      close(part, slot);
      part.size -= 1;
      size -= 1;
    },
    size: () => size,
  };
}

function createPart(slots: number): Part {
  return { lows: new Uint32Array(slots), highs: new Uint16Array(slots), size: 0 };
}

function isEmpty({ lows, highs }: Part, slot: number): boolean {
  return lows[slot] === 0 && highs[slot] === 0;
}

function findHome({ lows }: Part, low: number): number {
  return Math.floor((low >>> 0) / 2 ** 32 * lows.length);
}

/** Returns the slot that has a hash, or that it would get. */
function findSlot(part: Part, high: number, low: number): number {
  const { lows, highs } = part;
  // Two zeros would be nobody.
  const [own, value] = [high === 0 && low === 0 ? 1 : high, low >>> 0];
  let slot = findHome(part, low);
  while (!isEmpty(part, slot) && !(lows[slot] === value && highs[slot] === own)) {
    slot = slot + 1 === lows.length ? 0 : slot + 1;
  }
  return slot;
}

function put(
  part: Part,
  { slot, high, low }: { readonly slot: number; readonly high: number; readonly low: number },
): void {
  part.lows[slot] = low;
  part.highs[slot] = high === 0 && low === 0 ? 1 : high;
  part.size += 1;
}

function grow(part: Part): void {
  const { lows, highs } = part;
  Object.assign(part, createPart(Math.ceil(lows.length * GROWTH)));
  for (let slot = 0; slot < lows.length; slot++) {
    const [low = 0, high = 0] = [lows[slot], highs[slot]];
    if (low !== 0 || high !== 0) put(part, { slot: findSlot(part, high, low), high, low });
  }
}

/** Empties a slot, and moves up those behind it that would not be found any more. */
function close(part: Part, slot: number): void {
  const { lows, highs } = part;
  const slots = lows.length;
  let hole = slot;
  for (let next = (hole + 1) % slots; !isEmpty(part, next); next = (next + 1) % slots) {
    const home = findHome(part, lows[next] ?? 0);
    // Whether the hole lies between its home and where it is.
    if ((next - home + slots) % slots < (next - hole + slots) % slots) continue;
    lows[hole] = lows[next] ?? 0;
    highs[hole] = highs[next] ?? 0;
    hole = next;
  }
  lows[hole] = 0;
  highs[hole] = 0;
}
