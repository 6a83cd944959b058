import type { NodeConnectionOptions } from "@nats-io/transport-node";
import { describeError } from "../../platform/describe_error.ts";
import {
  apiCodeOf,
  type NatsConnection,
  type NatsModules,
  type StreamManager,
  type StreamPublisher,
  UNAVAILABLE_CODE,
} from "./jetstream_modules.ts";
import type { LinkOptions } from "./jetstream_options.ts";

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

/** Keeps a connection that answers. */
export interface ReconnectingLink {
  /** Returns the connection of this moment. */
  current(): Link;
  /** Asks through the connection of this moment, and notes whether the cluster answers. */
  ask<T>(act: (link: Link) => Promise<T>): Promise<T>;
  /** Closes the connection of this moment, and opens no other. */
  close(): Promise<void>;
}

/** Longest time in which a connection opens, per server. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Between two attempts to reach a server again. */
const RECONNECT_WAIT_MS = 250;

/** Longest time in which a connection leaves everything without an answer, and time between two attempts to open another one. */
const SILENCE_MS = 10_000;

/** Between two looks at the silence. */
const CHECK_INTERVAL_MS = 1_000;

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
function findOthers(servers: readonly string[], server: string): readonly string[] {
  const all = [...new Set(servers.map((address) => address.replace(/^\w+:\/\//, "")))];
  const others = all.filter((address) => address !== server);
  return others.length > 0 ? others : all;
}

/**
 * Connects to one of the servers.
 *
 * @throws {Error} Where none can be reached.
 */
export async function connect(
  nats: Pick<NatsModules, "connect" | "credsAuthenticator">,
  options: LinkOptions,
  more: Pick<NodeConnectionOptions, "pingInterval" | "maxPingOut" | "ignoreAuthErrorAbort"> = {},
): Promise<NatsConnection> {
  const { servers, user, password, token, credentials } = options;
  try {
    return await nats.connect({
      servers: [...servers],
      name: "@vendor/ingest",
      timeout: CONNECT_TIMEOUT_MS,
      // For ever: the cluster may be away for longer than a night, and the ingest answers 503 meanwhile.
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_WAIT_MS,
      ...more,
      ...(user !== undefined && { user }),
      ...(password !== undefined && { pass: password }),
      ...(token !== undefined && { token }),
      ...(credentials && { authenticator: nats.credsAuthenticator(credentials) }),
    });
  } catch (cause) {
    throw new Error(`NATS can't be reached at ${servers.join(", ")}: ${describeError(cause)}`, { cause });
  }
}

/**
 * Replaces a connection on which nothing is answered for 10 seconds: its server hangs, or is cut off, without a word.
 * The client by itself would stay on it for minutes, for it waits until what is stuck in the socket has been sent.
 */
export function createReconnectingLink(
  first: Link,
  open: (servers: readonly string[]) => Promise<Link>,
): ReconnectingLink {
  let link = first;
  let silentSinceMs: number | undefined;
  let isOpening = false;
  let isClosed = false;

  async function replace(): Promise<void> {
    isOpening = true;
    try {
      const fresh = await open(link.otherServers());
      const left = isClosed ? fresh : link;
      if (!isClosed) link = fresh;
      silentSinceMs = undefined;
      // Nobody waits for its end: the connection that is left hangs.
      left.close().catch(() => {});
    } catch {
      // No other server can be reached; this one may come back first.
      silentSinceMs = performance.now();
    } finally {
      isOpening = false;
    }
  }

  const watch = setInterval(() => {
    if (!isOpening && silentSinceMs !== undefined && performance.now() - silentSinceMs >= SILENCE_MS) void replace();
  }, CHECK_INTERVAL_MS);

  return {
    current: () => link,
    async ask(act) {
      silentSinceMs ??= performance.now();
      try {
        const answer = await act(link);
        silentSinceMs = undefined;
        return answer;
      } catch (error) {
        // A refusal is an answer of the cluster. That nobody is there may be the answer of a server on its own.
        if (![undefined, UNAVAILABLE_CODE].includes(apiCodeOf(error))) silentSinceMs = undefined;
        throw error;
      }
    },
    async close() {
      isClosed = true;
      clearInterval(watch);
      await link.close();
    },
  };
}
