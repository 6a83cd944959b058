import { createServer, type Server } from "node:http";
import type { Listener, ListenOptions } from "./listen.ts";
import { buildListenFault, isPortInUse } from "./listen_fault.ts";
import { toNodeListener } from "./node_listener.ts";
import { ServerFault } from "./server_fault.ts";

/** How long connections may take to close before they are broken off. */
const LINGER_MS = 500;

/** Starts a server on Node. */
export async function listenOnNode({ host, port, isPortShared, handle }: ListenOptions): Promise<Listener> {
  let isStopping = false;
  const listener = toNodeListener(handle);
  const server = createServer((request, response) => {
    // A connection that stayed open would keep the server from ending.
    if (isStopping) response.setHeader("Connection", "close");
    listener(request, response);
  });
  await start(server, { host, port, isPortShared });
  const address = server.address();

  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    async stop(): Promise<void> {
      isStopping = true;
      const timer = setTimeout(() => server.closeAllConnections(), LINGER_MS);
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeIdleConnections();
      });
      clearTimeout(timer);
    },
  };
}

async function start(server: Server, options: Omit<ListenOptions, "handle">): Promise<void> {
  const { host, port, isPortShared } = options;
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      // Node takes no notice of an option that it doesn't know.
      const settings: Parameters<Server["listen"]>[0] & { readonly reusePort: boolean } = {
        host,
        port,
        reusePort: isPortShared,
      };
      server.listen(settings, resolve);
    });
  } catch (cause) {
    if (isPortShared && isPortInUse(cause)) {
      throw new ServerFault(`can't share port ${port}: that takes Deno, or Node 23.1 on Linux`, { cause });
    }
    throw buildListenFault(cause, options);
  }
}
