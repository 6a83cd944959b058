/**
 * Engine that the text of the reports' queries needs. The words are ClickHouse's; another engine has them as macros.
 *
 * @module
 */
import type { Kept } from "./kept.ts";

/** A row of an answer. */
export type Row = Readonly<Record<string, unknown>>;

/** Differences between engines that no macro can bridge. */
export interface Dialect {
  /** Writes a text as SQL has it. */
  readonly quote: (text: string) => string;
  /** Writes the quantile, by nearest rank, of the values that fulfil a condition. */
  readonly quantile: (level: number, value: string, condition: string) => string;
}

/** An engine that has stored events. */
export interface Engine {
  readonly dialect: Dialect;
  /** Text behind FROM for all events, each once. */
  readonly events: string;
  /** Names of the tables that are kept beside the events; where they're absent, each query counts anew. */
  readonly kept?: Readonly<Record<Kept["name"], string>>;
  /** Returns what stands behind FROM for the rows of a query that several queries of a view need: it may be run once for them. */
  share(sql: string): Promise<string>;
  /** Runs a query and returns its rows. */
  select(sql: string): Promise<readonly Row[]>;
  /** Runs a query and returns its columns, for answers of many rows. */
  selectColumns(sql: string): Promise<readonly (readonly unknown[])[]>;
  /** Releases what it holds. */
  close(): Promise<void>;
}
