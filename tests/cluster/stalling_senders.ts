import { headersOf } from "../ingest/fixtures.ts";

/** Senders that begin a body with a valid key and origin, and stall after its first byte. */
export interface StallingSenders {
  /** Returns how many connections were opened so far: those that end are opened anew. */
  opened(): number;
  /** Ends them. */
  stop(): Promise<void>;
}

/** How senders stall. */
export interface StallingOptions {
  /** How many connections at a time. */
  readonly connections: number;
  /** Headers beside those of the SDK. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Starts senders that stall. */
export function startStalling(port: number, { connections, headers = {} }: StallingOptions): StallingSenders {
  const lines = [...headersOf({ ...headers, "Content-Length": "1000" })].map(([name, value]) =>
    `${name}: ${value}\r\n`
  );
  const bytes = new TextEncoder().encode(`POST /v1/events HTTP/1.1\r\nHost: x\r\n${lines.join("")}\r\n{`);
  const open = new Set<Deno.Conn>();
  let opened = 0;
  let isOver = false;

  async function stall(): Promise<void> {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    if (isOver) return connection.close();
    opened += 1;
    open.add(connection);
    try {
      await connection.write(bytes);
      const buffer = new Uint8Array(1_024);
      while (await connection.read(buffer) !== null) { /* until the server has closed it */ }
    } catch {
      // It was reset, or is closed at the end.
    }
    open.delete(connection);
    try {
      connection.close();
    } catch {
      // Closed at the end.
    }
  }

  async function run(): Promise<void> {
    while (!isOver) await stall();
  }

  const running = Promise.all(Array.from({ length: connections }, run));
  return {
    opened: () => opened,
    async stop(): Promise<void> {
      isOver = true;
      for (const connection of open) connection.close();
      await running;
    },
  };
}
