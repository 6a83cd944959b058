/** Hashes ids of keys. */
export interface IdHashes {
  /** Writes the hash of an id as two words, the high one first. */
  write(keyHash: string, id: string, to: { readonly words: Uint32Array; readonly at: number }): void;
}

/** Creates the hashes of a folder, which begin with its seed. */
export function createIdHashes(seed: number): IdHashes {
  const begins = new Map<string, readonly [number, number]>();

  function begin(keyHash: string): readonly [number, number] {
    const known = begins.get(keyHash);
    if (known !== undefined) return known;
    const made = mix([0xdeadbeef ^ seed, 0x41c6ce57 ^ Math.imul(seed, 0x9e3779b1)], keyHash);
    begins.set(keyHash, made);
    return made;
  }

  return {
    write(keyHash, id, { words, at }) {
      const [one, other] = mix(begin(keyHash), id);
      words[at] = one;
      words[at + 1] = other;
    },
  };
}

/** Mixes a text into two lanes, which mix each other at the end. Turning them brings what high bits know to the low ones. */
function mix([first, second]: readonly [number, number], text: string): readonly [number, number] {
  let [one, other] = [first, second];
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    one = Math.imul((one << 5 | one >>> 27) ^ unit, 0x9e3779b1);
    other = Math.imul((other << 13 | other >>> 19) ^ unit, 0x5f356495);
  }
  one = Math.imul(one ^ (one >>> 16), 0x85ebca6b) ^ Math.imul(other ^ (other >>> 13), 0xc2b2ae35);
  other = Math.imul(other ^ (other >>> 16), 0x85ebca6b) ^ Math.imul(one ^ (one >>> 13), 0xc2b2ae35);
  return [one >>> 0, other >>> 0];
}
