import { findLeftOut } from "../../events/left_out.ts";
import type { GOAL_COLUMNS } from "../../ports/reader.ts";
import type { Listed } from "../../ports/report_counts.ts";
import type { ListChoice } from "../../ports/report_query.ts";
import { joinAll } from "./conditions.ts";
import type { Engine, Row } from "./engine.ts";
import { readNumber } from "./rows.ts";

/** Columns of a goal by which lists are sorted; whatever has no session comes last. */
const GOAL_ORDERS: Readonly<Record<string, string>> = {
  conversions: "goal_conversions",
  conversionRate: "goal_conversions / nullIf(goal_sessions, 0)",
  goalValue: "goal_value",
};

/** A list, as SQL has it. Its rows have a `label`. */
export interface WrittenList<C extends string = string> {
  /** Columns that add up. */
  readonly sums: readonly string[];
  /**
   * Column of the texts that are searched.
   *
   * @default {the labels}
   */
  readonly text?: string;
  /** The usual order. */
  readonly order: string;
  /** SQL that each order sorts by, the first before the next. */
  readonly columns: Readonly<Record<Exclude<C, typeof GOAL_COLUMNS[number]>, string | readonly string[]>>;
}

/** A query of a list's rows, and which of them are chosen. */
export interface ListQuery<C extends string = string> {
  readonly definitions: string;
  /** Query of all rows. */
  readonly from: string;
  /** Most rows. */
  readonly rows: number;
  readonly choice: ListChoice<C> | undefined;
}

/** Rows that are listed, and what all that could be have. */
interface SelectedList {
  readonly listed: readonly Row[];
  /** Number of rows. */
  readonly count: number;
  /** Sums by the names of their columns. */
  readonly sums: Row;
}

/** Runs a query of rows and lists the chosen ones. */
export async function selectList<C extends string>(
  { select, dialect: { quote } }: Engine,
  { definitions, from, rows, choice = {} }: ListQuery<C>,
  { sums, text = "label", order, columns }: WrittenList<C>,
): Promise<SelectedList> {
  const { sort, isAscending = false, goal, contains, names, skip = 0 } = choice;
  const conditions = [
    ...(contains === undefined ? [] : [`match(${text}, ${quote(writeSearch(contains))})`]),
    ...(names === undefined ? [] : [names.length === 0 ? "1 = 0" : `label IN (${names.map(quote).join(", ")})`]),
  ];
  const orders: Readonly<Record<string, string | readonly string[]>> = { ...columns, ...GOAL_ORDERS };
  const sorted = sort === undefined ? [] : [orders[sort] ?? []].flat().flatMap((column) => [
    `(${column}) IS NULL`,
    `(${column}) ${isAscending ? "ASC" : "DESC"}`,
  ]);
  const withGoal = goal === undefined ? from : `SELECT r.*, coalesce(g.sessions, 0) AS goal_sessions,
      coalesce(g.conversions, 0) AS goal_conversions,
      coalesce(g.${goal.sumOf === undefined ? "completions" : "worth"}, 0) AS goal_value
    FROM (${from}) AS r LEFT JOIN conversions AS g ON r.label = g.label`;
  const all = ["count() OVER () AS row_count", ...sums.map((sum) => `sum(${sum}) OVER () AS all_${sum}`)];
  const list = `${definitions} SELECT *, ${all.join(", ")} FROM (${withGoal}) AS l
    WHERE ${joinAll(conditions)} ORDER BY ${[...sorted, order].join(", ")}`;
  const listed = await select(`${list} LIMIT ${rows} OFFSET ${skip}`);
  // Behind the last one, nothing says how many there are.
  const [first = {}] = listed.length > 0 || skip === 0 ? listed : await select(`${list} LIMIT 1`);
  return {
    listed,
    count: readNumber(first.row_count),
    sums: Object.fromEntries(sums.map((sum) => [sum, first[`all_${sum}`]])),
  };
}

/** Reads a list. */
export async function readList<C extends string, T>(
  engine: Engine,
  query: ListQuery<C>,
  { read, readSums, ...list }: WrittenList<C> & {
    readonly read: (row: Row) => T;
    /** Reads what adds up, of a row or of all. */
    readonly readSums: (row: Row) => NonNullable<Listed<T>["other"]>;
  },
): Promise<Listed<T>> {
  const { listed, count, sums } = await selectList(engine, query, list);
  return {
    rows: listed.map(read),
    count,
    other: findLeftOut(readSums(sums), { rows: listed.map(readSums), count }),
  };
}

/** Writes the expression of a text in any case. Paths have it percent-encoded, byte by byte, and these have no case. */
function writeSearch(text: string): string {
  const plain = text.toWellFormed();
  const forms = new Set([plain, ...[plain, plain.toLowerCase(), plain.toUpperCase()].map(encodeURI)]);
  return `(?i)${[...forms].map((form) => form.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|")}`;
}
