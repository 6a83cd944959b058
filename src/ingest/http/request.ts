import { buildRefusal, type Refusal } from "../contract/refusal.ts";
import { type Bytes, MAX_BODY_BYTES, readAtMost, type ReadBody, type ReadLimits, TOO_LARGE } from "./body.ts";

/** A request, as the ingest looks at it: a server can have one without the Web's, which costs more than the rest. */
export interface IngestRequest {
  /** Method, in capitals. */
  readonly method: string;
  /** Path of its address, as a URL has it; undefined where the address is none. */
  readonly path: string | undefined;
  /** Its headers; several of a name are joined by commas (Fetch standard, get). */
  readonly headers: { get(name: string): string | null };
  /**
   * Reads the body, once.
   *
   * @throws {TypeError} At once, when somebody else reads it, or has.
   */
  readonly read: ReadBody;
}

/** Takes a request of the Web. */
export function fromRequest(request: Request): IngestRequest {
  const { method, url, headers } = request;
  return {
    method,
    // A server puts the address together of what was sent; a Host that is none makes it none.
    path: URL.canParse(url) ? new URL(url).pathname : undefined,
    headers,
    read: (limits): Promise<Bytes | undefined> => {
      const { body, bodyUsed } = request;
      // No sender's doing: the application that mounted the ingest is to hear of it.
      if (bodyUsed || body?.locked) throw new TypeError("something else has read the request's body");
      return readAtMost(body, limits);
    },
  };
}

/**
 * The refusal of a body that doesn't arrive: the connection's fault and not the batch's. Whoever is still there is to
 * send it again. Nothing is wrong here either.
 */
export const INCOMPLETE_BODY: Refusal = {
  ...buildRefusal("incomplete_body", "the body didn't arrive in whole and in time, send it again"),
  retryAfterS: 5,
};

/**
 * Reads a body as it was sent, counting while it arrives: a declared length that is too long refuses it at once, and any
 * other proves nothing. Reads no more of one that is too long.
 *
 * @throws {TypeError} When somebody else reads it, or has.
 */
export async function receiveBody(
  request: IngestRequest,
  limits: Omit<ReadLimits, "bytes"> = {},
): Promise<Bytes | Refusal> {
  if (Number(request.headers.get("Content-Length")) > MAX_BODY_BYTES) return TOO_LARGE;
  const reading = request.read({ bytes: MAX_BODY_BYTES, ...limits });
  try {
    return await reading ?? TOO_LARGE;
  } catch {
    // Each runtime words the end of a connection in its own way.
    return INCOMPLETE_BODY;
  }
}
