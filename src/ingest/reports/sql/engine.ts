/**
 * Engine that the text of the reports' queries needs. The words are ClickHouse's; another engine has them as macros.
 *
 * @module
 */

/** A row of an answer. */
export type Row = Readonly<Record<string, unknown>>;

/** Differences between engines that no macro can bridge. */
export interface Dialect {
  /** Writes a text as SQL has it. */
  readonly quote: (text: string) => string;
  /** Writes the quantile, by nearest rank, of the values that fulfil a condition. */
  readonly quantile: (level: number, value: string, condition: string) => string;
}

/** Tables of what is counted once, see `kept.ts`; each has the columns that its query there returns. */
export interface KeptTables {
  readonly sessions: string;
  readonly visitors: string;
  readonly owners: string;
}

/** An engine that has stored events. */
export interface Engine {
  readonly dialect: Dialect;
  /** Text behind FROM for all events, each once. */
  readonly events: string;
  /** Tables that are kept beside the events; where they're absent, each query counts anew. */
  readonly kept?: KeptTables;
  /**
   * Runs a query whose answer several queries of a view need; returns what stands behind FROM for its rows. Where it's absent, each
   * query asks for itself.
   */
  share?(sql: string): Promise<string>;
  /** Runs a query and returns its rows. */
  select(sql: string): Promise<readonly Row[]>;
  /** Runs a query and returns its columns, for answers of many rows. */
  selectColumns(sql: string): Promise<readonly (readonly unknown[])[]>;
  /** Releases what it holds. */
  close(): Promise<void>;
}
