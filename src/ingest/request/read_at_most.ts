/** Bytes in memory of their own: `Uint8Array<ArrayBuffer>` since TypeScript 5.7, and `Uint8Array` before. */
export type Bytes = ReturnType<typeof Uint8Array.of>;

/** How much of a stream is read. */
export interface ReadLimits {
  /** Most bytes. */
  readonly bytes: number;
  /** Ends the reading. */
  readonly signal?: AbortSignal;
  /** Hears how many bytes each piece has. */
  readonly onBytes?: (count: number) => void;
}

/** Reads a body within limits. Resolves to undefined for a longer one and reads no more of it. */
export type ReadBody = (limits: ReadLimits) => Promise<Bytes | undefined>;

/**
 * Reads a stream within limits. Returns undefined for a longer one and reads no more of it.
 *
 * @throws {Error} When the signal ends the reading, and whatever the stream fails with.
 */
export async function readAtMost(
  body: ReadableStream<Uint8Array> | null,
  limits: ReadLimits,
): Promise<Bytes | undefined> {
  if (body === null) return new Uint8Array();
  const reader = body.getReader();
  const { signal } = limits;
  // Ends the read that waits. How the sender's stream takes that changes nothing.
  const stop = (): void => void reader.cancel().catch(() => {});
  signal?.addEventListener("abort", stop);
  try {
    const collector = createCollector(limits);
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      if (collector.add(read.value)) continue;
      stop();
      return undefined;
    }
    signal?.throwIfAborted();
    return collector.whole();
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

/** Puts a body together. */
export interface Collector {
  /** Takes the next piece; returns false for one that makes the body too long. */
  add(piece: Uint8Array): boolean;
  /** Returns all pieces as one. */
  whole(): Bytes;
}

/** Creates a collector of at most so many bytes. */
export function createCollector({ bytes: limitBytes, onBytes }: ReadLimits): Collector {
  let whole: Bytes = new Uint8Array();
  let size = 0;
  return {
    add(piece): boolean {
      if (size + piece.byteLength > limitBytes) return false;
      // Copied as it comes: a sender may cut a body into pieces of one byte, and each takes hundreds while it is kept.
      whole = makeRoom(whole, { size, needed: size + piece.byteLength, limitBytes });
      whole.set(piece, size);
      size += piece.byteLength;
      onBytes?.(piece.byteLength);
      return true;
    },
    whole: () => size === whole.byteLength ? whole : whole.slice(0, size),
  };
}

interface Room {
  readonly size: number;
  readonly needed: number;
  readonly limitBytes: number;
}

/** Returns the bytes with room for what is needed, and mostly for what comes next. */
function makeRoom(bytes: Bytes, { size, needed, limitBytes }: Room): Bytes {
  if (needed <= bytes.byteLength) return bytes;
  const larger = new Uint8Array(Math.max(needed, Math.min(2 * bytes.byteLength, limitBytes)));
  larger.set(bytes.subarray(0, size));
  return larger;
}
