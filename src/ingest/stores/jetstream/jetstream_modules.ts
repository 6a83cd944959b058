/**
 * The part of the official NATS client in use, and how it is loaded. Its types are imported as such: the types of the
 * package name none of them.
 *
 * @module
 */
import type * as js from "@nats-io/jetstream";
import type * as nats from "@nats-io/transport-node";

/** Settings of a stream. Times are in nanoseconds. */
export type StreamConfig =
  & Pick<js.StreamConfig, "name" | "subjects" | "storage" | "retention" | "discard" | "num_replicas">
  & Pick<js.StreamConfig, "duplicate_window" | "max_age" | "max_msgs_per_subject">
  & Partial<Pick<js.StreamConfig, "max_msg_size" | "no_ack" | "sealed" | "deny_delete" | "deny_purge">>
  & Partial<Pick<js.StreamConfig, "persist_mode" | "subject_transform" | "mirror">>;

/** A stream as the servers describe it; its leader is missing while there is none. */
export interface StreamInfo extends Pick<js.StreamInfo, "cluster"> {
  /** Its settings. */
  readonly config: StreamConfig;
}

/** Acknowledges a message: it is on a majority of the stream's servers. Its `seq` is 0 where it isn't known yet. */
export type PubAck = Pick<js.PubAck, "seq" | "duplicate">;

/** A connection to a NATS cluster. */
export interface NatsConnection extends Pick<nats.NatsConnection, "getServer" | "flush" | "isClosed" | "close"> {
  /** The server at hand, as it describes itself. */
  readonly info?: Pick<nats.ServerInfo, "max_payload" | "connect_urls">;
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
    options: Pick<js.JetStreamPublishOptions, "msgID" | "timeout">,
  ): Promise<PubAck>;
}

/** The client's functions in use. */
export interface NatsModules {
  /** Opens a connection. */
  connect(options: nats.NodeConnectionOptions & { readonly servers: string[] }): Promise<NatsConnection>;
  /** Makes an authenticator of the text of a credentials file. */
  readonly credsAuthenticator: typeof nats.credsAuthenticator;
  /** Opens the management of streams. */
  jetstreamManager(connection: NatsConnection, options: { readonly checkAPI: boolean }): Promise<StreamManager>;
  /** Opens publishing. */
  jetstream(connection: NatsConnection): StreamPublisher;
}

/** The client as it is, for whoever reads a stream. */
export interface StreamReader {
  /** Gets consumers, and publishes. */
  readonly client: js.JetStreamClient;
  /** Manages streams and consumers. */
  readonly manager: js.JetStreamManager;
  /** Makes headers of a message. */
  readonly headers: typeof nats.headers;
}

/** Opens the reading side of a JetStream, once the client is loaded. */
export async function openReader(connection: NatsConnection): Promise<StreamReader> {
  const [{ headers }, { jetstream, jetstreamManager }] = await Promise.all([
    import("@nats-io/transport-node"),
    import("@nats-io/jetstream"),
  ]);
  // What connect() returned is the client's own.
  const own = connection as nats.NatsConnection;
  return { client: jetstream(own), manager: await jetstreamManager(own, { checkAPI: false }), headers };
}

/** A message of a stream, as a consumer gets it. */
export type ConsumedMessage = js.JsMsg;

/** A consumer of a stream. */
export type StreamConsumer = js.Consumer;

/** JetStream's "system temporarily unavailable", as of a server that sees no leader. */
export const UNAVAILABLE_CODE = 10_008;

/** Returns JetStream's number of an error that it answered with, and `undefined` for any other error. */
export function apiCodeOf(error: unknown): number | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "number" ? error.code : undefined;
}

/** Returns whether nothing answered in time. */
export function isTimeout(error: unknown): boolean {
  return nameOf(error) === "TimeoutError";
}

/** Returns whether the cluster can't answer for now, as while it elects a leader. */
export function isPassing(error: unknown): boolean {
  // The name stands for a subject on which nobody listens.
  return isTimeout(error) || apiCodeOf(error) === UNAVAILABLE_CODE || nameOf(error) === "JetStreamNotEnabled";
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
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
      "JetStream needs the packages @nats-io/transport-node and @nats-io/jetstream: npm install both",
      { cause },
    );
  }
}

async function importClient(): Promise<NatsModules> {
  const [{ connect, credsAuthenticator }, { jetstream, jetstreamManager }] = await Promise.all([
    import("@nats-io/transport-node"),
    import("@nats-io/jetstream"),
  ]);
  return {
    credsAuthenticator,
    connect,
    // What connect() returned is the client's own.
    jetstream: (connection) => jetstream(connection as nats.NatsConnection),
    jetstreamManager: (connection, options) => jetstreamManager(connection as nats.NatsConnection, options),
  };
}
