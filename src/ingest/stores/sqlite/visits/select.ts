import type { DatabaseSync } from "node:sqlite";
import type { ViewCounts } from "../../../ports/reader.ts";

/** A row. */
export type Row = Readonly<Record<string, unknown>>;

type Value = string | number | null;

/** Runs a query of SQL. */
export interface Select {
  /** Returns its rows. */
  (sql: string, ...values: readonly Value[]): readonly Row[];
  /** Returns the first row, or an empty one. */
  one(sql: string, ...values: readonly Value[]): Row;
}

/** Creates what runs queries in a database. */
export function createSelect(database: DatabaseSync): Select {
  const select = (sql: string, ...values: readonly Value[]): readonly Row[] => database.prepare(sql).all(...values);
  return Object.assign(select, { one: (sql: string, ...values: readonly Value[]) => select(sql, ...values)[0] ?? {} });
}

/** Counts the pageviews of both forms among facts `f`. */
export const VIEWS = "sum(f.kind = 1) AS full_views, sum(f.kind = 0) AS aggregate_views";

/** Whether a fact `f` is a step, one of `./auto` included. */
export const IS_STEP = "f.kind >= 2";

/** Reads what {@linkcode VIEWS} counts. */
export function readViews(row: Row): ViewCounts {
  return { full: Number(row.full_views ?? 0), aggregate: Number(row.aggregate_views ?? 0) };
}

/** Returns how many values are before the one of the nearest rank. */
export function findRank(count: number, share: number): number {
  return Math.max(Math.ceil(count * share), 1) - 1;
}

/** Returns the numbers of texts, as SQL has a list. */
export function findTexts(texts: readonly string[]): string {
  return `(SELECT id FROM fact_texts WHERE text IN (${texts.map(quote).join(", ")}))`;
}

/** Writes a text as SQL has it. A NUL would end it. */
export function quote(text: string): string {
  return `'${text.replaceAll("\0", "\ufffd").replaceAll("'", "''")}'`;
}
