import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

/** A server that can go away and come back on its port. */
export interface Listener {
  /** Port, outside the range that the system gives to clients: nobody takes it in the meantime. */
  readonly port: number;
  /** Breaks every connection and refuses new ones. */
  away(): Promise<void>;
  /** Takes connections again. */
  back(): Promise<void>;
}

/** Lowest port and number of ports to choose from, below the system's range for clients (32768 and up). */
const FIRST_PORT = 20_000;
const PORTS = 12_000;

/** How many taken ports are passed over. */
const MAX_TRIES = 20;

/** Starts a listener on a free port. */
export async function startListener(
  handle: (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>,
): Promise<Listener> {
  let server: Server | undefined;
  let port = 0;
  const listen = (): Promise<void> =>
    new Promise((resolve, reject) => {
      // A sender that goes while its body is read makes handle() fail; there is nobody left to answer.
      const next = createServer((incoming, outgoing) => void handle(incoming, outgoing).catch(() => {}));
      next.once("error", reject);
      next.listen(port, "127.0.0.1", () => {
        server = next;
        resolve();
      });
    });
  for (let tries = 1; !server; tries++) {
    port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    try {
      await listen();
    } catch (error) {
      if (tries === MAX_TRIES) throw error;
    }
  }
  return {
    port,
    away: () =>
      new Promise((resolve) => {
        const closing = server;
        server = undefined;
        if (!closing) return resolve();
        closing.close(() => resolve());
        closing.closeAllConnections();
      }),
    back: () => server ? Promise.resolve() : listen(),
  };
}
