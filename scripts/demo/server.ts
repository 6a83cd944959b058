import { DemoFault } from "./demo_fault.ts";

/** A server of the demo. */
export interface DemoServer {
  /** Its origin, as in `http://127.0.0.1:4400`. */
  readonly origin: string;
  /** Port it listens on. */
  readonly port: number;
  /** Stops listening, and resolves when all is answered. */
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
const HOST = "127.0.0.1";

/**
 * Starts a server on this machine's loopback address.
 *
 * @throws {DemoFault} When it can't listen on the port.
 */
export function startServer({ port: wanted, flag, handle }: ServerOptions): DemoServer {
  try {
    const server = Deno.serve({ hostname: HOST, port: wanted, onListen: () => {} }, handle);
    const { port } = server.addr;
    return { origin: `http://${HOST}:${port}`, port, stop: () => server.shutdown() };
  } catch (cause) {
    const reason = cause instanceof Deno.errors.AddrInUse ? "is in use" : `can't be listened on (${cause})`;
    throw new DemoFault(`port ${wanted} ${reason}, choose another with ${flag}`, { cause });
  }
}
