import type { Listener, ListenOptions } from "./listen.ts";
import { buildListenFault } from "./listen_fault.ts";

/** The part of Deno in use. Written down here, since the npm package is compiled without Deno's types. */
export interface DenoRuntime {
  /** Starts a server. */
  serve(
    options: {
      readonly hostname: string;
      readonly port: number;
      readonly reusePort: boolean;
      readonly onListen: () => void;
    },
    handle: (
      request: Request,
      info: { readonly remoteAddr: { readonly hostname?: string } },
    ) => Promise<Response>,
  ): { readonly addr: { readonly port: number }; shutdown(): Promise<void> };
}

/** How long connections may take to close; whoever holds one open keeps nobody waiting. */
const LINGER_MS = 500;

/** Returns Deno where it runs. */
export function findDeno(): DenoRuntime | undefined {
  return (globalThis as { readonly Deno?: DenoRuntime }).Deno;
}

/** Starts a server on Deno. */
export function listenOnDeno(deno: DenoRuntime, { host, port, isPortShared, handle }: ListenOptions): Listener {
  const server = start();

  function start(): ReturnType<DenoRuntime["serve"]> {
    try {
      const options = { hostname: host, port, reusePort: isPortShared, onListen: () => {} };
      // Looked up when it is asked for: most requests don't need it.
      return deno.serve(options, (request, info) =>
        handle(request, {
          get address() {
            return info.remoteAddr.hostname;
          },
        }));
    } catch (cause) {
      throw buildListenFault(cause, { host, port });
    }
  }

  return {
    port: server.addr.port,
    async stop(): Promise<void> {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const linger = new Promise<void>((resolve) => timer = setTimeout(resolve, LINGER_MS));
      await Promise.race([server.shutdown(), linger]);
      clearTimeout(timer);
    },
  };
}
