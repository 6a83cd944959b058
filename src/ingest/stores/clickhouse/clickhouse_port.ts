/**
 * Calls of the ingest to a ClickHouse. Apart from the client: the package's types must not name those of a client that
 * its users may not have.
 *
 * @module
 */

/** Where a ClickHouse is, and who asks. */
export interface ClickHouseOptions {
  /** Address of its HTTP interface, `http://localhost:8123`. */
  readonly url: string;
  /**
   * User name.
   *
   * @default {"default"}
   */
  readonly user?: string;
  /**
   * Password of the user.
   *
   * @default {""}
   */
  readonly password?: string;
  /**
   * Database, which has to exist.
   *
   * @default {"default"}
   */
  readonly database?: string;
}

/** Values of a query's bound parameters. */
export type Parameters = Readonly<Record<string, string | number | readonly string[] | readonly number[]>>;

/** A row of an answer. */
export type Row = Readonly<Record<string, unknown>>;

/** A ClickHouse that answers. */
export interface ClickHouse {
  /** Runs a statement that has no answer. */
  run(statement: string, parameters?: Parameters): Promise<void>;
  /** Runs a query and returns its rows. */
  select(query: string, parameters?: Parameters): Promise<readonly Row[]>;
  /** Runs a query and yields its rows as they come. */
  stream(query: string, parameters?: Parameters): AsyncIterable<Row>;
  /** Inserts rows, all with the fields of the first in its order; resolves once they are in. */
  insert(table: string, rows: readonly Row[], token: string): Promise<void>;
  /** Ends the connections. */
  close(): Promise<void>;
}
