import { createRequestMaker } from "./body.ts";

/** Options of {@linkcode runLoad}. */
export interface LoadOptions {
  /** Port of the server. */
  readonly port: number;
  /** Events per request. */
  readonly eventsPerRequest: number;
  /** Connections, each with one request at a time. */
  readonly connections: number;
  /** Duration in milliseconds. */
  readonly durationMs: number;
  /**
   * Requests a second, all connections together. The time from request to answer begins when the request was due, so
   * that one that had to wait shows it.
   *
   * @default {each connection sends as soon as the last request is answered}
   */
  readonly requestsPerS?: number;
}

/** Result of {@linkcode runLoad}. */
export interface LoadResult {
  /** Events that were answered 202. */
  readonly events: number;
  /** Time in milliseconds. */
  readonly elapsedMs: number;
  /** Time from request to answer, in milliseconds, sorted. */
  readonly latenciesMs: readonly number[];
}

/** Sends as fast as the connections allow, or at a rate. It speaks HTTP by itself, so that little of the machine goes into it. */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const { port, eventsPerRequest, connections, durationMs, requestsPerS = Infinity } = options;
  const everyMs = connections / requestsPerS * 1000;
  const latenciesMs: number[] = [];
  const startMs = performance.now();
  const endMs = startMs + durationMs;

  async function send(index: number): Promise<void> {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port });
    const requests = createRequestMaker(eventsPerRequest);
    const buffer = new Uint8Array(65_536);
    let dueMs = startMs + everyMs * index / connections;
    while (Math.max(dueMs, performance.now()) < endMs) {
      await sleepUntil(dueMs);
      const sentMs = everyMs > 0 ? dueMs : performance.now();
      await writeAll(connection, requests.next());
      await readAnswer(connection, buffer);
      latenciesMs.push(performance.now() - sentMs);
      dueMs += everyMs;
    }
  }

  await Promise.all(Array.from({ length: connections }, (_, index) => send(index)));
  const elapsedMs = performance.now() - startMs;
  latenciesMs.sort((one, other) => one - other);
  return { events: latenciesMs.length * eventsPerRequest, elapsedMs, latenciesMs };
}

async function sleepUntil(timeMs: number): Promise<void> {
  const leftMs = timeMs - performance.now();
  if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs));
}

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  let written = 0;
  while (written < bytes.length) written += await connection.write(bytes.subarray(written));
}

/** Reads one answer, which has a Content-Length, and makes sure that it is a 202. */
async function readAnswer(connection: Deno.Conn, buffer: Uint8Array): Promise<void> {
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const count = await connection.read(buffer);
    if (count === null) throw new Error("the server closed the connection");
    text += decoder.decode(buffer.subarray(0, count));
    const end = text.indexOf("\r\n\r\n");
    if (end < 0) continue;
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1]);
    if (text.length < end + 4 + length) continue;
    if (!text.startsWith("HTTP/1.1 202 ")) throw new Error(`answered ${text.slice(0, 300)}`);
    return;
  }
}
