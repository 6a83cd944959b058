import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request with its whole body. */
export interface HttpRequest {
  /** Method. */
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body. */
  readonly text: string;
  /** Whether the sender broke it off before it was answered. */
  readonly isAborted: () => boolean;
}

/** Settings of {@linkcode startHttpServer}. */
export interface HttpHandlers {
  /** Answers a request; `"reset"` closes the connection without an answer. */
  readonly answer: (request: HttpRequest) => Promise<Response | "reset">;
  /** Hears that a sender broke a request off. */
  readonly onAbort: () => void;
}

/** A server on a free port of this machine. */
export interface HttpServer {
  /** Port. */
  readonly port: number;
  /** Ends it, and every connection. */
  close(): Promise<void>;
}

/**
 * Starts a server that notices at once when a sender breaks a request off. `Deno.serve` doesn't: its signal stays
 * silent where the body came in a segment of its own.
 */
export async function startHttpServer({ answer, onAbort }: HttpHandlers): Promise<HttpServer> {
  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    let isAborted = false;
    outgoing.on("close", () => {
      isAborted = !outgoing.writableEnded;
      if (isAborted) onAbort();
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const response = await answer({
      method: incoming.method ?? "",
      target: incoming.url ?? "",
      headers: Object.fromEntries(
        Object.entries(incoming.headers).map(([name, value]) => [name, [value].flat().join()]),
      ),
      text: await new Blob(chunks as BlobPart[]).text(),
      isAborted: () => isAborted,
    });
    if (response === "reset") return void outgoing.destroy();
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(await response.text());
  }

  // A sender that goes while its body is read makes handle() fail; there is nobody left to answer.
  const server = createServer((incoming, outgoing) => void handle(incoming, outgoing).catch(() => {}));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
