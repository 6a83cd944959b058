import type { DatabaseSync } from "node:sqlite";
import { findLeftOut } from "../../../events/left_out.ts";
import type { Listed } from "../../../ports/reader.ts";
import type { Row, Select } from "./select.ts";

/** A table of counts, and what is listed of it. */
export interface ListedOptions<T> {
  /** Name of the table. */
  readonly table: string;
  /** Names of the columns that add up. */
  readonly sums: readonly string[];
  /** Query of the rows to list, in their order: a row of the table is `c`. */
  readonly query: string;
  /** How many are listed. */
  readonly rows: number;
  /** Reads what adds up of a row. */
  readonly readSums: (row: Row) => NonNullable<Listed<T>["other"]>;
  /** Reads a row of the query. */
  readonly read: (row: Row) => T;
}

/** Puts what a query counts into a table, which lasts as long as the connection: there may be a million rows. */
export function createCounts(
  database: DatabaseSync,
  { table, query, bounds }: { readonly table: string; readonly query: string; readonly bounds: readonly number[] },
): void {
  database.prepare(`CREATE TEMP TABLE ${table} AS ${query}`).run(...bounds);
}

/** Lists the first rows of such a table, and sums the others. */
export function listCounts<T>(
  select: Select,
  { table, sums, query, rows, readSums, read }: ListedOptions<T>,
): Listed<T> {
  const all = select.one(
    `SELECT count(*) AS rows, ${sums.map((name) => `sum(${name}) AS ${name}`).join(", ")} FROM ${table}`,
  );
  const listed = select(`${query} LIMIT ?`, rows);
  const count = Number(all.rows);
  return {
    rows: listed.map(read),
    count,
    other: findLeftOut(readSums(all), { rows: listed.map(readSums), count }),
  };
}
