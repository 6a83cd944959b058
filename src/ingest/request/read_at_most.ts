/** Bytes in memory of their own. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** How much of a stream is read, and for how long. */
export interface ReadLimits {
  /** Most bytes. */
  readonly bytes: number;
  /**
   * Longest time in milliseconds.
   *
   * @default {no limit}
   */
  readonly timeMs?: number;
}

/**
 * Reads a stream within limits. Returns undefined for a longer one and reads no more of it.
 *
 * @throws {Error} When the stream takes too long, and whatever it fails with.
 */
export async function readAtMost(
  body: ReadableStream<Uint8Array> | null,
  { bytes, timeMs }: ReadLimits,
): Promise<Bytes | undefined> {
  if (body === null) return new Uint8Array();
  const reader = body.getReader();
  if (timeMs === undefined) return await readAll(reader, bytes);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    // Ends the read that waits. How the sender's stream takes that changes nothing.
    reader.cancel().catch(() => {});
  }, timeMs);
  try {
    const whole = await readAll(reader, bytes);
    if (isLate) throw new Error("the body didn't arrive in time");
    return whole;
  } finally {
    clearTimeout(timer);
  }
}

async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  limitBytes: number,
): Promise<Bytes | undefined> {
  let whole: Bytes = new Uint8Array();
  let size = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const { value } = read;
    if (size + value.byteLength > limitBytes) {
      // The rest is unwanted; how the sender's stream takes that changes nothing.
      reader.cancel().catch(() => {});
      return undefined;
    }
    // Copied as it comes: a sender may cut a body into chunks of one byte, and each takes hundreds while it is kept.
    whole = makeRoom(whole, { size, needed: size + value.byteLength, limitBytes });
    whole.set(value, size);
    size += value.byteLength;
  }
  return size === whole.byteLength ? whole : whole.slice(0, size);
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
