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
