import { listScalarForms } from "../../events/scalars.ts";
import type { ConversionCounts, ConvertedList, CountedEvent, GOAL_COLUMNS } from "../../ports/reader.ts";
import type { ReportQuery } from "../../ports/report_query.ts";
import type { Dialect, Engine, Row } from "./engine.ts";
import { addUp, readNumber, readSum, writeSum } from "./rows.ts";
import { buildTables, nameListed } from "./tables.ts";

/** Counts which sessions of a list's rows reach a goal. */
export async function readConversions(
  engine: Engine,
  query: ReportQuery,
  { goal, ...list }: ConvertedList & { readonly goal: CountedEvent },
  names: readonly string[],
): Promise<readonly ConversionCounts[]> {
  if (names.length === 0) return [];
  const { select, dialect } = engine;
  const { definitions } = await buildTables(engine, query, {
    ...(list.list === "sources" && { listed: list }),
    ...(list.list === "audience" && { audience: list.by }),
    ofPeople: list.list === "values",
    goal,
  });
  const forms = list.list === "values" ? names.flatMap(listScalarForms) : names;
  const isNamed = (column: string): string => `${column} IN (${forms.map(dialect.quote).join(", ")})`;
  const rows = await select(
    `${definitions} ${writeConversions(list, dialect)} WHERE ${isNamed("row_name")} GROUP BY row_name`,
  );
  if (list.list === "pages") {
    const ends = await select(`${definitions} ${EXITS_WITHOUT} WHERE ${isNamed("last_page")} GROUP BY last_page`);
    return addExits(rows.map(readCounts), ends);
  }
  // An event without the property has no value, not even an empty one.
  return rows.filter(({ row_name: name }) => list.list !== "values" || name !== "").map((row) => ({
    // Engines write large numbers in forms of their own.
    ...readCounts(row),
    ...(list.list === "values" && { name: JSON.stringify(JSON.parse(String(row.row_name))) }),
  }));
}

function readCounts(row: Row): ConversionCounts {
  return {
    name: String(row.row_name),
    sessions: readNumber(row.sessions),
    conversions: readNumber(row.conversions),
    completions: readNumber(row.times),
    sum: readSum(row.total),
  };
}

/** Begins the query of the exits of sessions that don't reach the goal. */
const EXITS_WITHOUT = `SELECT last_page AS row_name, countIf(views > 0 AND coalesce(completions, 0) = 0) AS exits
  FROM chosen_sessions AS s LEFT JOIN goal_visits AS g ON s.session_hash = g.goal_visit`;

/** Adds the exits to the rows of pages. A session may end with a page that no view in the range is of. */
function addExits(rows: readonly ConversionCounts[], ends: readonly Row[]): readonly ConversionCounts[] {
  const exits = new Map(ends.map((row) => [String(row.row_name), readNumber(row.exits)]));
  const others = ends.map(readCounts).filter((end) =>
    exits.get(end.name) !== 0 && rows.every(({ name }) => name !== end.name)
  );
  return [...rows, ...others].map((row) => ({ ...row, exitsWithout: exits.get(row.name) ?? 0 }));
}

/** Columns of a goal by which lists are sorted, once its counts are joined; whatever has no session comes last. */
export const GOAL_ORDERS: Readonly<Record<typeof GOAL_COLUMNS[number], string>> = {
  conversions: "goal_conversions",
  conversionRate: "goal_conversions / nullIf(goal_sessions, 0)",
  goalValue: "goal_value",
};

/** Joins what the sessions of a list's rows have of a goal to the rows, where they are sorted by it. */
export function joinConversions(
  from: string,
  { name, list, goal, dialect }: {
    /** Column of the rows' names. */
    readonly name: string;
    readonly list: ConvertedList;
    readonly goal: CountedEvent | undefined;
    readonly dialect: Dialect;
  },
): string {
  if (goal === undefined) return from;
  const value = goal.sumOf === undefined ? "times" : "worths";
  const columns = ["sessions", "conversions", "value"].map((column) =>
    `coalesce(g.${column === "value" ? value : column}, 0) AS goal_${column}`
  );
  return `SELECT r.*, ${columns.join(", ")}
    FROM (${from}) AS r LEFT JOIN (${
    writeConversions(list, dialect)
  } GROUP BY row_name) AS g ON r.${name} = g.row_name`;
}

/** Writes the beginning of the query of what the sessions of each row have of a goal. */
function writeConversions(list: ConvertedList, dialect: Dialect): string {
  return `SELECT row_name, count() AS sessions, countIf(coalesce(completions, 0) > 0) AS conversions,
      sum(coalesce(completions, 0)) AS times, ${addUp("coalesce(worth, 0)")} AS worths,
      ${writeSum("coalesce(worth, 0)")} AS total
    FROM (${writePlaces(list, dialect)}) AS p LEFT JOIN goal_visits AS g ON p.row_visit = g.goal_visit`;
}

/** Writes the query of the rows and their sessions, each pair once. */
function writePlaces(list: ConvertedList, { quote }: Dialect): string {
  switch (list.list) {
    case "pages":
      return "SELECT DISTINCT page AS row_name, visit AS row_visit FROM chosen_events WHERE is_view AND visit <> 0";
    case "audience":
      return `SELECT label AS row_name, label_session AS row_visit FROM session_labels
        WHERE label_session IN (SELECT session_hash FROM chosen_sessions)`;
    case "values":
      return `SELECT DISTINCT JSONExtractRaw(scalars, ${quote(list.key)}) AS row_name, visit AS row_visit
        FROM chosen_events WHERE NOT is_view AND name = ${quote(list.step)} AND scalars <> '' AND visit <> 0`;
    case "sources": {
      const { ofSession } = nameListed(list);
      if (list.of === "session") {
        return `SELECT ${ofSession} AS row_name, session_hash AS row_visit FROM chosen_sessions`;
      }
      return `SELECT if(coalesce(first_visitor, 0) <> 0, first_listed, own) AS row_name, row_visit FROM (
        SELECT ${ofSession} AS own, session_visitor AS own_visitor, session_hash AS row_visit FROM chosen_sessions
      ) AS s LEFT JOIN first_sessions AS fs ON fs.first_visitor = s.own_visitor`;
    }
  }
}
