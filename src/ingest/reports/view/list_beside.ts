import type { Listed } from "../../ports/report_counts.ts";
import type { ListChoice, ReportQuery } from "../../ports/report_query.ts";
import { findPeriods } from "../query/periods.ts";
import { toQuery } from "./scope.ts";
import type { ViewRequest, ViewSource } from "./view.ts";

/** A row, beside what it was in the period before. */
export type Beside<T, N extends keyof T> = T & {
  /** Its counts in the period before; null where it has none there. */
  readonly before: Omit<T, N> | null;
};

/** A list, row by row beside the period before. */
export interface ListedBeside<T, N extends keyof T> {
  /** Its rows. */
  readonly rows: readonly Beside<T, N>[];
  /** Number of all of them. */
  readonly count: number;
  /** Sums of those that aren't among them, but for visitors, who don't add up; null where all are. */
  readonly other: Omit<T, N | "visitors"> | null;
}

/** Reads a list. */
type ReadList<T, N extends keyof T> = (
  query: ReportQuery,
  rows: number,
  choice: ListChoice<never>,
) => Promise<Pick<Listed<T>, "rows" | "count"> & Pick<ListedBeside<T, N>, "other">>;

/** Options of {@linkcode listBeside}. */
export interface ListBesideOptions<T, N extends keyof T> {
  readonly request: ViewRequest;
  /** The field with its name. */
  readonly name: N;
  /** Names a row as a {@linkcode ListChoice} does. */
  readonly nameOf: (row: T) => string;
  /** Reads the rows of the days that are asked for. */
  readonly list: (query: ReportQuery) => ReturnType<ReadList<T, N>>;
  /** Reads these rows of another period. */
  readonly find: ReadList<T, N>;
}

/** Reads a list, and what its rows were in the period before. */
export async function listBeside<T extends object, N extends keyof T>(
  { now }: Pick<ViewSource, "now">,
  { request, name, nameOf, list, find }: ListBesideOptions<T, N>,
): Promise<ListedBeside<T, N>> {
  const { current, before } = findPeriods(request, now());
  const { rows, count, other } = await list(toQuery(request, current));
  const names = rows.map(nameOf);
  const earlier = names.length === 0 ? [] : (await find(toQuery(request, before), names.length, { names })).rows;
  const known = new Map(earlier.map((row) => [nameOf(row), withoutName(row, name)]));
  return { rows: rows.map((row) => ({ ...row, before: known.get(nameOf(row)) ?? null })), count, other };
}

function withoutName<T extends object, N extends keyof T>(row: T, name: N): Omit<T, N> {
  const { [name]: _, ...counts } = row;
  return counts;
}
