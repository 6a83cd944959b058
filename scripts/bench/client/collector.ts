import { gunzipSync } from "node:zlib";

/** An endpoint for any SDK, on a port of its own, so that what an earlier page sends late never counts for a later one. */
export interface Collector {
  /** Its address, without a path. */
  readonly url: string;
  /** Waits until so many events arrived, each counted once: false where nothing came for a while, or for too long. */
  waitFor(amount: number, limits: { readonly quietMs: number; readonly maxMs: number }): Promise<boolean>;
  /** Ends it, and every connection. */
  close(): Promise<void>;
}

/** Answers that one SDK or another asks for. */
const ANSWER = JSON.stringify({ status: 1, success: true, ok: true, code: 200, deviceId: "d", sessionId: "s" });
const POLL_MS = 50;

/** Starts a collector on a free port. */
export function startCollector(): Collector {
  const sequences = new Set<string>();
  const closing = new AbortController();
  let lastMs = performance.now();

  async function handle(request: Request): Promise<Response> {
    const { method, url } = request;
    const headers = {
      "Access-Control-Allow-Origin": request.headers.get("Origin") ?? "*",
      "Access-Control-Allow-Credentials": "true",
      "Access-Control-Allow-Methods": "GET, POST, PUT",
      "Access-Control-Allow-Headers": request.headers.get("Access-Control-Request-Headers") ?? "*",
      "Access-Control-Max-Age": "600",
      "Cross-Origin-Resource-Policy": "cross-origin",
    };
    const body = new Uint8Array(await request.arrayBuffer());
    lastMs = performance.now();
    const text = decode(new URL(url).search) + decode(readText(body));
    if (method === "OPTIONS") return new Response(null, { status: 204, headers });
    for (const [, sequence = ""] of text.matchAll(/bench_seq\W+(\d+)/g)) sequences.add(sequence);
    return new Response(ANSWER, { headers: { ...headers, "Content-Type": "application/json" } });
  }

  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    signal: closing.signal,
    onListen: () => {},
    onError: () => new Response(null, { status: 400 }), // the sender went while its body was read
  }, handle);
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    async waitFor(amount, { quietMs, maxMs }) {
      const startMs = performance.now();
      const isOver = (): boolean => {
        const nowMs = performance.now();
        return nowMs - Math.max(lastMs, startMs) > quietMs || nowMs - startMs > maxMs;
      };
      while (sequences.size < amount && !isOver()) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      return sequences.size >= amount;
    },
    async close() {
      closing.abort();
      await server.finished;
    },
  };
}

function readText(body: Uint8Array): string {
  const isGzip = body[0] === 0x1f && body[1] === 0x8b;
  return new TextDecoder().decode(isGzip ? gunzipSync(body) : body);
}

/** Undoes the escaping of forms and queries, and base64 of JSON, so that the text tells its events. */
function decode(text: string): string {
  const plain = /%22|%7B/i.test(text) ? decodeURIComponent(text.replaceAll("+", " ")) : text;
  return plain.replace(/(?:eyJ|W3si)[\w+/-]{16,}/g, (token) => {
    const bytes = Uint8Array.from(atob(token.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    return decode(new TextDecoder().decode(bytes));
  });
}
