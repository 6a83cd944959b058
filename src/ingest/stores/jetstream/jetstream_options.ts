/** Options of `createJetStreamSink()`. */
export interface JetStreamSinkOptions {
  /** Servers of the cluster, as `host:port` or `nats://host:port`. One is enough to find the others. */
  readonly servers: readonly string[];
  /**
   * Name of the stream, made when it is missing.
   *
   * @default {"VENDOR_EVENTS"}
   */
  readonly stream?: string;
  /**
   * First part of the subjects; the hash of the key is the last: `vendor.events.<hash>`.
   *
   * @default {"vendor.events"}
   */
  readonly subjectPrefix?: string;
  /**
   * On how many servers each event is kept, 1 to 5. With 3, one of them may fail.
   *
   * @default {3}
   */
  readonly replicas?: number;
  /**
   * Milliseconds that the servers know event ids. They hold them in memory, 265 bytes each. Hours or minutes do with a
   * store behind a loader, which knows ids for ever. Where something else reads the stream, 8 days are safe, since the
   * SDK repeats a batch for up to 7.
   *
   * @default {691200000, 8 days}
   */
  readonly duplicateWindowMs?: number;
  /**
   * Milliseconds that an event may take to be acknowledged; tried again within that time.
   *
   * @default {10000}
   */
  readonly timeoutMs?: number;
  /**
   * Most events that wait for their acknowledgement, or for a server that hangs to read them. Past that, or past 64 MiB
   * of them, batches are turned down with 503; one alone is always taken.
   *
   * @default {20000}
   */
  readonly maxPendingEvents?: number;
  /** User name, with `password`. */
  readonly user?: string;
  /** Password. */
  readonly password?: string;
  /** Token, instead of a user. */
  readonly token?: string;
  /** Content of a credentials file, instead of a user. */
  readonly credentials?: Uint8Array;
}

/** Where a cluster is, and who asks. */
export type LinkOptions = Pick<JetStreamSinkOptions, "servers" | "user" | "password" | "token" | "credentials">;
