/** Events of one kind that travel together. Once it's sealed, nothing of it changes. */
export interface Batch {
  /** The `batchId`. */
  readonly id: string;
  /** Whom it's for: hash of endpoint and key. */
  readonly account: string;
  /** Its events as JSON texts, oldest first. */
  readonly events: readonly string[];
  /** Whether it holds aggregate pageviews. */
  readonly isAggregate: boolean;
  /** Members of its body beside `type`, `batchId`, `sentAt` and `events`, as JSON text. */
  readonly envelope: string;
  /** Version of the SDK that captured its first event. */
  readonly version: string;
  /** Time of its first event, in milliseconds since the Unix epoch. */
  readonly timeMs: number;
  /** UTF-8 bytes of its body. */
  readonly bytes: number;
}
