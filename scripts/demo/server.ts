import { isPortInUse, listen, type ListenOptions } from "../../src/ingest/server/listen.ts";
import { ServerFault } from "../../src/ingest/server/server_fault.ts";
import { DemoFault } from "./demo_fault.ts";

/** A server of the demo. */
export interface DemoServer {
  /** Its origin, as in `http://127.0.0.1:4400`. */
  readonly origin: string;
  /** Port it listens on. */
  readonly port: number;
  /** Stops listening and gives connections half a second to close. */
  stop(): Promise<void>;
}

/** Settings of {@linkcode startServer}. */
export interface ServerOptions {
  /** Port; 0 picks a free one. */
  readonly port: number;
  /** Option of the command line that chooses the port, for the message when it is taken. */
  readonly flag: string;
  /** Answers a request. */
  readonly handle: ListenOptions["handle"];
}

/** The demo is for this machine alone. */
const HOST = "127.0.0.1";

const REQUEST_TIMEOUT_MS = 25_000;

/**
 * Starts a server on this machine's loopback address, as the ingest's program does.
 *
 * @throws {DemoFault} When it can't listen on the port.
 */
export async function startServer({ port, flag, handle }: ServerOptions): Promise<DemoServer> {
  try {
    const listener = await listen({
      host: HOST,
      port,
      isPortShared: false,
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
      log: () => {},
      handle,
    });
    return { origin: `http://${HOST}:${listener.port}`, port: listener.port, stop: listener.stop };
  } catch (cause) {
    if (!(cause instanceof ServerFault)) throw cause;
    throw new DemoFault(
      isPortInUse(cause.cause) ? `port ${port} is in use, choose another with ${flag}` : cause.message,
      { cause },
    );
  }
}
