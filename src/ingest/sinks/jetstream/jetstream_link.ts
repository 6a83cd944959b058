import type { NatsConnection, NatsModules, StreamManager, StreamPublisher } from "./jetstream_modules.ts";

/** Where a cluster is, and who asks. */
export interface LinkOptions {
  /** Servers of the cluster. */
  readonly servers: readonly string[];
  /** User name, with `password`. */
  readonly user?: string;
  /** Password. */
  readonly password?: string;
  /** Token, instead of a user. */
  readonly token?: string;
  /** Content of a credentials file, instead of a user. */
  readonly credentials?: Uint8Array;
}

/** A connection to one server of a cluster. */
export interface Link {
  /** Publishes through it. */
  readonly publisher: StreamPublisher;
  /** Asks about streams through it. */
  readonly manager: StreamManager;
  /** Most bytes of a message, headers included. */
  readonly maxPayloadBytes: number;
  /** Returns the servers of the cluster without its own; all of them where no other is known. */
  otherServers(): readonly string[];
  /** Whether it is closed for good. */
  isClosed(): boolean;
  /** Resolves when nothing published so far is held here: the server has read it, or the connection is gone. */
  drained(): Promise<void>;
  /** Closes it at once, with what is under way. */
  close(): Promise<void>;
}

/** How long a connection may take to open, per server. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Between two attempts to reach a server again. */
const RECONNECT_WAIT_MS = 250;

/**
 * Connects to one of the servers: of all that the options name, or of the given ones.
 *
 * @throws {Error} Where none can be reached.
 */
export async function openLink(
  nats: NatsModules,
  options: LinkOptions,
  servers: readonly string[] = options.servers,
): Promise<Link> {
  const connection = await connect(nats, { ...options, servers });
  const draining = new Set<() => void>();
  return {
    publisher: nats.jetstream(connection),
    manager: await nats.jetstreamManager(connection, { checkAPI: false }),
    maxPayloadBytes: connection.info?.max_payload ?? Infinity,
    otherServers: () =>
      findOthers([...options.servers, ...connection.info?.connect_urls ?? []], connection.getServer()),
    isClosed: () => connection.isClosed(),
    drained: () =>
      new Promise((resolve) => {
        const settle = (): void => {
          draining.delete(settle);
          resolve();
        };
        // The client settles no flush of a connection that it closes.
        draining.add(settle);
        // The answer to a ping comes after all before it was read; a lost connection takes what was written with it.
        connection.flush().then(settle, settle);
      }),
    async close(): Promise<void> {
      // Not drained: while the servers are away a drain wouldn't end.
      const closing = connection.close();
      for (const settle of draining) settle();
      await closing;
    },
  };
}

/** Returns the servers that aren't the one, each once; all of them where there is no other. */
export function findOthers(servers: readonly string[], server: string): readonly string[] {
  const all = [...new Set(servers.map((address) => address.replace(/^\w+:\/\//, "")))];
  const others = all.filter((address) => address !== server);
  return others.length > 0 ? others : all;
}

async function connect(nats: NatsModules, options: LinkOptions): Promise<NatsConnection> {
  const { servers, user, password, token, credentials } = options;
  try {
    return await nats.connect({
      servers: [...servers],
      name: "@vendor/sdk/ingest",
      timeout: CONNECT_TIMEOUT_MS,
      // For ever: the cluster may be away for longer than a night, and the ingest answers 503 meanwhile.
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_WAIT_MS,
      ...(user !== undefined && { user }),
      ...(password !== undefined && { pass: password }),
      ...(token !== undefined && { token }),
      ...(credentials && { authenticator: nats.credsAuthenticator(credentials) }),
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`NATS can't be reached at ${servers.join(", ")}: ${reason}`, { cause });
  }
}
