/** Below the ports that systems give to connections: one that is free stays free, also while its server restarts. */
const [FIRST_PORT, LAST_PORT] = [10_240, 32_000];

let next = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT));

/** Returns a port that nobody listens on, and another one each time. */
export function findFreePort(): number {
  for (;;) {
    const port = next;
    next = port < LAST_PORT ? port + 1 : FIRST_PORT;
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}
