/** Largest request body in bytes, 1 MiB (CONTRACT 27). */
export const MAX_BODY_BYTES = 1_048_576;

/** How much more than it wants the ingest reads before it cuts the connection, in bytes. */
const MAX_DRAIN_BYTES = 1_048_576;

/**
 * Reads a body of at most `limitBytes`, counting while it arrives: a declared length proves nothing.
 * Returns undefined for a longer one, of which nothing is kept.
 *
 * The rest of a body that is too long is still read, up to a bound: a server that answers and closes while
 * the sender is still writing resets the connection, and the browser then reports a network error, which
 * would be retried, in place of the answer.
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
    if (size <= limitBytes) chunks.push(read.value);
    else chunks.length = 0;
    if (size > limitBytes + MAX_DRAIN_BYTES) {
      // The sender is cut off; how its stream takes that changes nothing.
      reader.cancel().catch(() => {});
      return undefined;
    }
  }
  return size > limitBytes ? undefined : concat(chunks, size);
}

/** Reads a body that nobody wants to its end or its bound, for the reason given at {@linkcode readBody}; never rejects. */
export async function discardBody(request: Request): Promise<void> {
  if (request.bodyUsed || request.body === null || request.body.locked) return;
  try {
    await readBody(request.body, 0);
  } catch {
    // The sender is gone; the answer was decided before.
  }
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
