/** Largest request body in bytes, 1 MiB (CONTRACT 27). */
export const MAX_BODY_BYTES = 1_048_576;

/**
 * Reads a body of at most `limitBytes`, counting while it arrives: a declared length proves nothing.
 * Returns undefined for a longer one and reads no more of it.
 *
 * @throws Whatever the stream fails with.
 */
export async function readBody(
  body: ReadableStream<Uint8Array> | null,
  limitBytes: number,
): Promise<Uint8Array | undefined> {
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

function concat(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole;
}
