import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:http";
import { describeError } from "../../platform/describe_error.ts";
import { createNodeListener, type ServerHandler } from "./node_listener.ts";
import { ServerFault } from "../ops/server_fault.ts";
import { watchListener } from "./watch_listener.ts";

/** Settings of {@linkcode listen}. */
export interface ListenOptions {
  /** Address to listen on. */
  readonly host: string;
  /** Port; 0 picks a free one. */
  readonly port: number;
  /** Flag of the command line that chooses another port. */
  readonly portFlag: `--${string}`;
  /** Most milliseconds that a request may take from its headers to its answer. */
  readonly requestTimeoutMs: number;
  /**
   * When connections are closed that send nothing.
   *
   * @default {CONNECTION_TIMEOUTS}
   */
  readonly timeouts?: ConnectionTimeouts;
  /** Answers a request of the address at the other end; never rejects. */
  readonly handle: ServerHandler;
}

/** A server that listens. */
export interface Listener {
  /** Port it listens on. */
  readonly port: number;
  /** Resolves, on Deno, when no connection is accepted any more: the process has to be started anew. */
  readonly dead: Promise<ServerFault>;
  /** Closes the port and all connections. What is under way has ended before. */
  stop(): Promise<void>;
}

/** When connections are closed that send nothing, in milliseconds. */
export interface ConnectionTimeouts {
  /** Most milliseconds that the headers of a request may take, from the connection's begin or from the first of them. */
  readonly headersMs: number;
  /** Most milliseconds that a connection may wait for its next request. */
  readonly keepAliveMs: number;
  /** Interval in which connections are looked at, in milliseconds. */
  readonly checkMs: number;
}

/** The timeouts of the program. A connection is kept a little longer than proxies keep one, which is mostly 60 s. */
const CONNECTION_TIMEOUTS: ConnectionTimeouts = { headersMs: 10_000, keepAliveMs: 65_000, checkMs: 2_000 };

const DEAD = "no connection is accepted any more, as after the process had no file descriptor left";

/** Most milliseconds that connections may take to close before they are broken off. */
const LINGER_MS = 500;

/**
 * Starts a server, on Deno and Node alike.
 *
 * @throws {ServerFault} When it can't listen there.
 */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { requestTimeoutMs, handle, timeouts = CONNECTION_TIMEOUTS } = options;
  const listener = createNodeListener(handle, { requestTimeoutMs, idleMs: timeouts.keepAliveMs });
  let isStopping = false;
  const server = create();
  await start(server, options);
  const { port } = server.address() as AddressInfo;
  const watch = await watchListener({ host: options.host, port });

  function create(): Server {
    const settings = {
      headersTimeout: timeouts.headersMs,
      // Bodies are timed by the app, which answers them better; this one ends what nobody reads.
      requestTimeout: timeouts.headersMs + requestTimeoutMs,
      keepAliveTimeout: timeouts.keepAliveMs,
      connectionsCheckingInterval: timeouts.checkMs,
      requireHostHeader: false, // the listener answers that
    };
    return createServer(settings, (request, response) => {
      // A connection that stayed open would keep the server from ending.
      if (isStopping) response.setHeader("Connection", "close");
      listener.answerRequest(request, response);
    }).on("clientError", listener.answerParserFault).on("checkExpectation", listener.answerExpectation);
  }

  return {
    port,
    dead: watch.dead.then(() => new ServerFault(DEAD)),
    async stop(): Promise<void> {
      isStopping = true;
      watch.stop();
      const timer = setTimeout(() => server.closeAllConnections(), LINGER_MS);
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeIdleConnections();
      });
      clearTimeout(timer);
    },
  };
}

/** Returns whether a server can't listen since another one does. */
function isPortInUse(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE";
}

async function start(server: Server, { host, port, portFlag }: Omit<ListenOptions, "handle">): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host, port }, resolve);
    });
  } catch (cause) {
    const reason = isPortInUse(cause) ? "the port is in use" : describeError(cause);
    throw new ServerFault(`can't listen on ${host} port ${port}: ${reason}; choose another with ${portFlag}`, {
      cause,
    });
  }
}

/** Returns the address of a server as a browser takes it. */
export function toOrigin(host: string, listener: Pick<Listener, "port"> | undefined): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${listener?.port}`;
}
