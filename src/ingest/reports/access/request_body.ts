/** Reads a body of at most so many bytes; resolves to undefined for a longer one. */
export type ReadBody = (limits: { readonly bytes: number }) => Promise<Uint8Array | undefined>;

/** Options of {@linkcode readText}. */
export interface ReadTextOptions {
  /** Most bytes. */
  readonly bytes: number;
  /**
   * Reads the body, where the request doesn't hold it.
   *
   * @default {reads the request's own}
   */
  readonly read?: ReadBody | undefined;
}

/** Reads the text of a body; resolves to undefined for one that is too long. */
export async function readText(request: Request, { bytes, read }: ReadTextOptions): Promise<string | undefined> {
  const body = await (read?.({ bytes }) ?? readAtMost(request.body, bytes));
  return body && new TextDecoder().decode(body);
}

/** Returns whether the header says that a body is of a media type, whatever its parameters. */
export function hasType({ headers }: Request, type: string): boolean {
  const [named = ""] = (headers.get("Content-Type") ?? "").split(";");
  return named.trim().toLowerCase() === type;
}

async function readAtMost(body: ReadableStream<Uint8Array> | null, bytes: number): Promise<Uint8Array | undefined> {
  const whole = new Uint8Array(bytes);
  let size = 0;
  const reader = body?.getReader();
  for (let read = await reader?.read(); read !== undefined && !read.done; read = await reader?.read()) {
    if (size + read.value.byteLength > bytes) {
      await reader?.cancel();
      return undefined;
    }
    whole.set(read.value, size);
    size += read.value.byteLength;
  }
  return whole.subarray(0, size);
}
