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
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    size += read.value.byteLength;
    if (size > limitBytes) {
      // The rest is unwanted; how the sender's stream takes that changes nothing.
      reader.cancel().catch(() => {});
      return undefined;
    }
    chunks.push(read.value);
  }
  return concat(chunks, size);
}

function concat(chunks: readonly Uint8Array[], size: number): Bytes {
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole;
}
