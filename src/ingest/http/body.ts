import { buildMalformed, buildRefusal, type Refusal } from "../contract/refusal.ts";

/** Bytes in memory of their own: `Uint8Array<ArrayBuffer>` since TypeScript 5.7, and `Uint8Array` before. */
export type Bytes = ReturnType<typeof Uint8Array.of>;

/** Ends a reading from outside. An `AbortSignal` does the same, and takes Node longer than the rest of a request. */
export interface StopSignal {
  /** Whether the reading was ended. */
  isStopped: boolean;
  /** Set by who reads: ends the read that waits. */
  onStop: (() => void) | undefined;
}

/** Creates a signal for {@linkcode stopReading}. */
export function createStopSignal(): StopSignal {
  return { isStopped: false, onStop: undefined };
}

/** Ends a reading. */
export function stopReading(signal: StopSignal): void {
  signal.isStopped = true;
  signal.onStop?.();
}

/** Most bytes that are read of a stream. */
export interface ReadLimits {
  /** Most bytes. */
  readonly bytes: number;
  /** Ends the reading, which rejects. */
  readonly signal?: StopSignal;
  /** Hears how many bytes each piece has. */
  readonly onBytes?: (count: number) => void;
}

/** Reads a body within limits. Resolves to undefined for a longer one and reads no more of it. */
export type ReadBody = (limits: ReadLimits) => Promise<Bytes | undefined>;

/** Largest request body in bytes, 1 MiB, as sent and decompressed. */
export const MAX_BODY_BYTES = 1_048_576;

/** The refusal of a larger one. */
export const TOO_LARGE: Refusal = buildRefusal("body_too_large", `body must be at most ${MAX_BODY_BYTES} bytes`);

/** Most times its own size that gzip may unfold to. Batches of events that are much alike reach some 30 times. */
const MAX_GZIP_RATIO = 100;

/** Bytes that gzip of any size may unfold to: a little more than the largest batch of the SDK. */
const MIN_GZIP_LIMIT_BYTES = 65_536;

const TOO_DENSE: Refusal = buildRefusal(
  "body_too_large",
  `body must be at most ${MAX_GZIP_RATIO} times as large as its gzip, or ${MIN_GZIP_LIMIT_BYTES} bytes`,
);

const NO_GZIP: Refusal = buildMalformed("body must be gzip, as its Content-Encoding says");

/**
 * Bytes that are decompressed at a time. Some runtimes unfold all that they are given before anyone can say stop, and
 * gzip makes a thousand bytes of one.
 */
const GZIP_SLICE_BYTES = 2048;

/**
 * Decompresses a body, which is here as a whole: a connection that breaks off is no fault of the sender's, this is.
 * What it may unfold to is in proportion to what it is, since that is what others wait for.
 */
export async function decompress(sent: Bytes): Promise<Bytes | Refusal> {
  const limitBytes = Math.max(MIN_GZIP_LIMIT_BYTES, sent.byteLength * MAX_GZIP_RATIO);
  try {
    const stream = toStream(sent).pipeThrough(new DecompressionStream("gzip"));
    const bytes = await readAtMost(stream, { bytes: Math.min(limitBytes, MAX_BODY_BYTES) });
    if (bytes === undefined) return limitBytes < MAX_BODY_BYTES ? TOO_DENSE : TOO_LARGE;
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
  if (signal) signal.onStop = stop;
  try {
    const collector = createCollector(limits);
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      if (collector.add(read.value)) continue;
      stop();
      return undefined;
    }
    if (signal?.isStopped) throw new Error("the reading was ended");
    return collector.whole();
  } finally {
    if (signal) signal.onStop = undefined;
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
      const needed = size + piece.byteLength;
      if (needed > limitBytes) return false;
      // Copied as it comes: a sender may cut a body into pieces of one byte, and each takes hundreds while it is kept.
      if (needed > whole.byteLength) {
        const larger = new Uint8Array(Math.max(needed, Math.min(2 * whole.byteLength, limitBytes)));
        larger.set(whole.subarray(0, size));
        whole = larger;
      }
      whole.set(piece, size);
      size = needed;
      onBytes?.(piece.byteLength);
      return true;
    },
    whole: () => size === whole.byteLength ? whole : whole.slice(0, size),
  };
}
