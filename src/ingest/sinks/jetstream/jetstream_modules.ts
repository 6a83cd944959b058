/**
 * The part of the official NATS client in use, and how it is loaded. The shapes are written down here, so that the
 * types of the package need no NATS client.
 *
 * @module
 */

/** What is asked of a stream. Times are in nanoseconds. */
export interface StreamConfig {
  /** Name of the stream. */
  readonly name: string;
  /** Subjects that it keeps. */
  readonly subjects: readonly string[];
  /** Where messages are kept. */
  readonly storage: string;
  /** When messages go. */
  readonly retention: string;
  /** What happens to a message that doesn't fit. */
  readonly discard: string;
  /** On how many servers messages are kept. */
  readonly num_replicas: number;
  /** How long message ids are known. */
  readonly duplicate_window: number;
  /** How long messages are kept; 0 for ever. */
  readonly max_age: number;
  /** How many messages are kept of a subject; -1 for all of them. */
  readonly max_msgs_per_subject: number;
  /** How many bytes a message may have, headers included; -1 or missing for any. */
  readonly max_msg_size?: number;
  /** Whether it acknowledges nothing. */
  readonly no_ack?: boolean;
  /** Whether it takes nothing any more. */
  readonly sealed?: boolean;
}

/** What is known of a stream. */
export interface StreamInfo {
  /** How it was set up. */
  readonly config: StreamConfig;
  /** Its place in a cluster; `leader` is missing while there is none. */
  readonly cluster?: { readonly leader?: string };
}

/** Acknowledges a message: it is on a majority of the stream's servers. */
export interface PubAck {
  /** Its place in the stream; 0 where it isn't known yet. */
  readonly seq: number;
  /** Whether its id was known. */
  readonly duplicate: boolean;
}

/** A connection to a NATS cluster. */
export interface NatsConnection {
  /** What the server at hand says of itself. */
  readonly info?: { readonly max_payload: number; readonly connect_urls?: readonly string[] };
  /** Returns the address of the server at hand. */
  getServer(): string;
  /** Resolves when the server has read all that was sent before. */
  flush(): Promise<void>;
  /** Whether it is closed for good. */
  isClosed(): boolean;
  /** Closes it for good. */
  close(): Promise<void>;
}

/** Settings of a connection. */
export interface NatsConnectionOptions {
  readonly servers: string[];
  readonly name: string;
  readonly timeout: number;
  readonly maxReconnectAttempts: number;
  readonly reconnectTimeWait: number;
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
  readonly authenticator?: unknown;
}

/** Manages streams. */
export interface StreamManager {
  readonly streams: {
    info(name: string): Promise<StreamInfo>;
    add(config: StreamConfig): Promise<StreamInfo>;
  };
}

/** Publishes messages. */
export interface StreamPublisher {
  publish(
    subject: string,
    payload: Uint8Array,
    options: { readonly msgID: string; readonly timeout: number },
  ): Promise<PubAck>;
}

/** The client's functions in use. */
export interface NatsModules {
  /** Opens a connection. */
  connect(options: NatsConnectionOptions): Promise<NatsConnection>;
  /** Makes an authenticator of the text of a credentials file. */
  credsAuthenticator(creds: Uint8Array): unknown;
  /** Opens the management of streams. */
  jetstreamManager(connection: NatsConnection, options: { readonly checkAPI: boolean }): Promise<StreamManager>;
  /** Opens publishing. */
  jetstream(connection: NatsConnection): StreamPublisher;
}

/** JetStream's "system temporarily unavailable", as of a server that sees no leader. */
export const UNAVAILABLE_CODE = 10_008;

/** Returns JetStream's number of an error that it answered with, and `undefined` for any other error. */
export function apiCodeOf(error: unknown): number | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "number" ? error.code : undefined;
}

/**
 * Loads the official client at the first use: who doesn't use the sink needs none.
 *
 * @throws {Error} Where the client isn't installed.
 */
export async function loadNats(load: () => Promise<NatsModules> = importClient): Promise<NatsModules> {
  try {
    return await load();
  } catch (cause) {
    throw new Error(
      "createJetStreamSink() needs the packages @nats-io/transport-node and @nats-io/jetstream: npm install both",
      { cause },
    );
  }
}

async function importClient(): Promise<NatsModules> {
  // Each with a handler of its own: bundlers then leave an import alone that they can't resolve, and the ingest can be
  // bundled where nobody has the client, as for Workers.
  const [{ connect, credsAuthenticator }, { jetstream, jetstreamManager }] = await Promise.all([
    import("@nats-io/transport-node").catch(rethrow),
    import("@nats-io/jetstream").catch(rethrow),
  ]);
  // The client's types name far more than is in use, and are mutable: a test runs the sink on a real cluster.
  return { connect, credsAuthenticator, jetstream, jetstreamManager } as unknown as NatsModules;
}

function rethrow(cause: unknown): never {
  throw cause;
}
