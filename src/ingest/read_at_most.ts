/** Bytes in memory of their own. */
export type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Reads a stream of at most `limitBytes`. Returns undefined for a longer one and reads no more of it.
 *
 * @throws Whatever the stream fails with.
 */
export async function readAtMost(
  body: ReadableStream<Uint8Array> | null,
  limitBytes: number,
): Promise<Bytes | undefined> {
  if (body === null) return new Uint8Array();
  const reader = body.getReader();
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
