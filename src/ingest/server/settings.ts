import type { IngestKey } from "../options.ts";
import type { ForwardSinkOptions } from "../sinks/forward/forward_sink.ts";
import type { ReportKey } from "../reports/options.ts";
import type { LogLevel } from "./log.ts";

/** A key of the server. */
export interface ServerKey extends IngestKey {
  /** Opens the reports of the key; there are none without. */
  readonly secretKey?: string;
}

/** Where events go. */
export type SinkSettings =
  | { readonly kind: "memory" }
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "forward"; readonly options: ForwardSinkOptions }
  | NatsSettings;

/** A NATS cluster and how to sign in there. */
export interface NatsSettings {
  /** Discriminant. */
  readonly kind: "nats";
  /** Servers of the cluster. */
  readonly servers: readonly string[];
  /** Name of the stream. */
  readonly stream: string;
  /** On how many servers each event is kept. */
  readonly replicas: number;
  /** How long event ids are known. */
  readonly duplicateWindowMs: number;
  /** Path of a credentials file. */
  readonly credentialsPath?: string;
  /** User name. */
  readonly user?: string;
  /** Password. */
  readonly password?: string;
  /** Token. */
  readonly token?: string;
}

/** Everything that is set. */
export interface Settings {
  /** Address to listen on. */
  readonly host: string;
  /** Port; 0 for any free one. */
  readonly port: number;
  /** Whether the port is shared with other processes. */
  readonly isPortShared: boolean;
  /** Path that takes events. */
  readonly path: string;
  /** Keys that may send. */
  readonly keys: readonly ServerKey[];
  /** Where events go. */
  readonly sink: SinkSettings;
  /** Most requests at work at a time. */
  readonly maxPending: number;
  /** How long a request may take, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** How long requests under way may take at the end, in milliseconds. */
  readonly graceMs: number;
  /** The least level that is logged. */
  readonly logLevel: LogLevel;
}

/** Returns the keys whose reports can be read. */
export function listReportKeys(keys: readonly ServerKey[]): readonly ReportKey[] {
  return keys.flatMap(({ secretKey, ...key }) => secretKey === undefined ? [] : [{ ...key, secretKey }]);
}

/** Returns what must never be written into a log. */
export function listSecrets({ keys, sink }: Settings): readonly string[] {
  const ofSink = sink.kind === "nats"
    ? [sink.password, sink.token]
    : sink.kind === "forward"
    ? [sink.options.apiKey]
    : [];
  return [...keys.flatMap(({ apiKey, secretKey }) => [apiKey, secretKey]), ...ofSink]
    .filter((secret) => secret !== undefined);
}
