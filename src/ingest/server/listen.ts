import { findDeno, listenOnDeno } from "./listen_on_deno.ts";
import { listenOnNode } from "./listen_on_node.ts";
import type { Sender } from "./sender.ts";

/** Settings of {@linkcode listen}. */
export interface ListenOptions {
  /** Address to listen on. */
  readonly host: string;
  /** Port; 0 picks a free one. */
  readonly port: number;
  /** Whether other processes may listen on the port as well; the system then shares connections out. */
  readonly isPortShared: boolean;
  /** Answers a request. */
  readonly handle: (request: Request, sender: Sender) => Promise<Response>;
}

/** A server that listens. */
export interface Listener {
  /** Port it listens on. */
  readonly port: number;
  /**
   * Closes the port and all connections. What is under way has ended before: on Deno, a body that is still arriving
   * couldn't be read any more.
   */
  stop(): Promise<void>;
}

/**
 * Starts a server, on Deno or Node alike.
 *
 * @throws {ServerFault} When it can't listen there.
 */
export async function listen(options: ListenOptions): Promise<Listener> {
  const deno = findDeno();
  return deno === undefined ? await listenOnNode(options) : listenOnDeno(deno, options);
}
