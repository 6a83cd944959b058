import { type Bytes, readAtMost, type ReadBody, type ReadLimits } from "./read_at_most.ts";
import { buildMalformed, buildRefusal, type Refusal } from "./refusal.ts";

/** Largest request body in bytes, 1 MiB, as sent and decompressed. */
export const MAX_BODY_BYTES = 1_048_576;

const TOO_LARGE: Refusal = buildRefusal("body_too_large", `body must be at most ${MAX_BODY_BYTES} bytes`);

const NO_GZIP: Refusal = buildMalformed("body must be gzip, as its Content-Encoding says");

/**
 * The refusal of a body that doesn't arrive: the connection's fault and not the batch's. Whoever is still there is to
 * send it again. Nothing is wrong here either.
 */
export const INCOMPLETE_BODY: Refusal = {
  ...buildRefusal("incomplete_body", "the body didn't arrive in whole and in time, send it again"),
  retryAfterS: 5,
};

/** How a body is read. */
export interface ReceiveOptions extends Omit<ReadLimits, "bytes"> {
  /**
   * Reads it where the request doesn't hold it.
   *
   * @default {reads the request's own}
   */
  readonly read?: ReadBody;
}

/**
 * Reads a body as it was sent, counting while it arrives: a declared length that is too long refuses it at once, and any
 * other proves nothing. Reads no more of one that is too long.
 *
 * @throws {TypeError} When somebody else reads it, or has.
 */
export async function receiveBody(request: Request, options: ReceiveOptions = {}): Promise<Bytes | Refusal> {
  const { body, bodyUsed, headers } = request;
  const { read = (limits) => readAtMost(body, limits), ...limits } = options;
  // No sender's doing: whoever mounted the ingest is to hear of it.
  if (bodyUsed || body?.locked) throw new TypeError("something else has read the request's body");
  if (Number(headers.get("Content-Length")) > MAX_BODY_BYTES) return TOO_LARGE;
  try {
    return await read({ bytes: MAX_BODY_BYTES, ...limits }) ?? TOO_LARGE;
  } catch {
    // Each runtime words the end of a connection in its own way.
    return INCOMPLETE_BODY;
  }
}

/** Returns whether the body is compressed in a way that is taken (RFC 9110, 8.4.1). */
export function isCompressed(headers: Headers): boolean {
  return /^(?:x-)?gzip$/i.test(headers.get("Content-Encoding") ?? "");
}

/**
 * What is decompressed at a time, in bytes. Some runtimes unfold all that they are given before anyone can say stop,
 * and gzip makes a thousand bytes of one.
 */
const GZIP_SLICE_BYTES = 2048;

/** Decompresses a body, which is here as a whole: a connection that breaks off is no fault of the sender's, this is. */
export async function decompress(sent: Bytes): Promise<Bytes | Refusal> {
  try {
    const stream = toStream(sent).pipeThrough(new DecompressionStream("gzip"));
    const bytes = await readAtMost(stream, { bytes: MAX_BODY_BYTES });
    if (bytes === undefined) return TOO_LARGE;
    // What follows the first member is an error on Deno; Node goes on, but the last length is that of the last member.
    return readLastLength(sent) === bytes.byteLength ? bytes : NO_GZIP;
  } catch {
    return NO_GZIP;
  }
}

/** Reads the length that a gzip member ends with, of what it unfolds to (RFC 1952, 2.3.1). */
function readLastLength({ buffer, byteOffset, byteLength }: Bytes): number {
  return new DataView(buffer, byteOffset, byteLength).getUint32(byteLength - 4, true);
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
