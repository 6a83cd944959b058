import { type Bytes, readAtMost } from "./read_at_most.ts";
import { buildMalformed, buildRefusal, type Refusal } from "./refusal.ts";

/** Largest request body in bytes, 1 MiB, as sent and decompressed. */
export const MAX_BODY_BYTES = 1_048_576;

const TOO_LARGE: Refusal = buildRefusal("body_too_large", `body must be at most ${MAX_BODY_BYTES} bytes`);

// The connection's fault and not the batch's: whoever is still there is to send it again. Nothing is wrong here either.
const INCOMPLETE: Refusal = {
  ...buildRefusal("incomplete_body", "the body didn't arrive in whole and in time, send it again"),
  retryAfterS: 5,
};

/**
 * Reads a body, counting while it arrives, for a declared length proves nothing, and while it is decompressed.
 * Reads no more of one that is too long, or takes longer than `timeMs`.
 *
 * @throws {TypeError} When somebody else reads it, or has.
 */
export async function readBody(request: Request, timeMs?: number): Promise<Bytes | Refusal> {
  const isGzip = isCompressed(request.headers);
  const sent = await receive(request, timeMs);
  if ("status" in sent) return sent;
  return isGzip ? await decompress(sent) : sent;
}

async function receive({ body, bodyUsed }: Request, timeMs: number | undefined): Promise<Bytes | Refusal> {
  // No sender's doing: whoever mounted the ingest is to hear of it.
  if (bodyUsed || body?.locked) throw new TypeError("something else has read the request's body");
  try {
    return await readAtMost(body, { bytes: MAX_BODY_BYTES, ...(timeMs !== undefined && { timeMs }) }) ?? TOO_LARGE;
  } catch {
    // Each runtime words the end of a connection in its own way.
    return INCOMPLETE;
  }
}

/** Returns whether the body is compressed in a way that is taken (RFC 9110, 8.4.1). */
function isCompressed(headers: Headers): boolean {
  return /^(?:x-)?gzip$/i.test(headers.get("Content-Encoding") ?? "");
}

/**
 * What is decompressed at a time, in bytes. Some runtimes unfold all that they are given before anyone can say stop,
 * and gzip makes a thousand bytes of one.
 */
const GZIP_SLICE_BYTES = 2048;

// Only once the whole body is here: a connection that breaks off is no fault of the sender's, broken gzip is.
async function decompress(sent: Bytes): Promise<Bytes | Refusal> {
  try {
    const stream = toStream(sent).pipeThrough(new DecompressionStream("gzip"));
    return await readAtMost(stream, { bytes: MAX_BODY_BYTES }) ?? TOO_LARGE;
  } catch {
    return buildMalformed("body must be gzip, as its Content-Encoding says");
  }
}

function toStream(bytes: Bytes): ReadableStream<Bytes> {
  let at = 0;
  return new ReadableStream({
    pull: (controller) => {
      controller.enqueue(bytes.slice(at, at + GZIP_SLICE_BYTES));
      at += GZIP_SLICE_BYTES;
      if (at >= bytes.length) controller.close();
    },
  }, { highWaterMark: 0 });
}
