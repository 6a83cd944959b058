import { DemoFault } from "./demo_fault.ts";

/** A server of the demo. */
export interface DemoServer {
  /** Its origin, as in `http://127.0.0.1:4400`. */
  readonly origin: string;
  /** Port it listens on. */
  readonly port: number;
  /** Stops listening and gives requests under way half a second to end. */
  stop(): Promise<void>;
}

/** Settings of {@linkcode startServer}. */
export interface ServerOptions {
  /** Port; 0 picks a free one. */
  readonly port: number;
  /** Option of the command line that chooses the port, for the message when it is taken. */
  readonly flag: string;
  /** Answers a request. */
  readonly handle: (request: Request) => Response | Promise<Response>;
}

/** The demo is for this machine alone. */
const HOSTNAME = "127.0.0.1";

const GRACE_MS = 500;

/**
 * Starts a server on this machine's loopback address.
 *
 * @throws {DemoFault} When it can't listen on the port.
 */
export function startServer({ port, flag, handle }: ServerOptions): DemoServer {
  const server = listen();

  function listen(): Deno.HttpServer<Deno.NetAddr> {
    try {
      return Deno.serve(
        { hostname: HOSTNAME, port, onListen: () => {} },
        (request) => handle(copyRequest(request)),
      );
    } catch (cause) {
      throw new DemoFault(describe(cause), { cause });
    }
  }

  function describe(cause: unknown): string {
    if (cause instanceof Deno.errors.AddrInUse) return `port ${port} is in use, choose another with ${flag}`;
    return `can't listen on port ${port}: ${cause instanceof Error ? cause.message : cause}`;
  }

  return {
    origin: `http://${HOSTNAME}:${server.addr.port}`,
    port: server.addr.port,
    async stop(): Promise<void> {
      const grace = Promise.withResolvers<void>();
      const timer = setTimeout(grace.resolve, GRACE_MS);
      await Promise.race([server.shutdown(), grace.promise]);
      clearTimeout(timer);
    },
  };
}

/** Copies a request: Deno can't read the headers of its own any more once the connection has gone. */
function copyRequest({ url, method, headers, body }: Request): Request {
  return new Request(url, { method, headers: new Headers(headers), body });
}
