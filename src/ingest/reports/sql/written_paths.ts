import { createPathWriter } from "../../events/path_rules.ts";
import type { ReportQuery } from "../../ports/report_query.ts";
import type { Engine } from "./engine.ts";

/** Paths as the rules write them: SQL can't, so that those of a range are read, and written here. */
export interface WrittenPaths {
  /** Defines the table of the paths that the rules change, if any. */
  readonly definitions: readonly string[];
  /** Joins it by a column. */
  readonly join: (column: string) => string;
  /** Writes the path of a column. */
  readonly of: (column: string) => string;
}

const PLAIN: WrittenPaths = { definitions: [], join: () => "", of: (column) => column };

/** Writes the paths of the events that fulfil a condition. */
export async function writePaths(
  { dialect: { quote }, events, select }: Engine,
  { pathRules: rules }: ReportQuery,
  condition: string,
): Promise<WrittenPaths> {
  if (rules.patterns.length === 0 && !rules.dropsTrailingSlash && !rules.ignoresCase) return PLAIN;
  const write = createPathWriter(rules);
  const rows = await select(`SELECT DISTINCT path FROM ${events} WHERE ${condition}`);
  const changed = rows.map(({ path }) => String(path)).filter((path) => write(path) !== path);
  if (changed.length === 0) return PLAIN;
  const list = (paths: readonly string[]): string => `[${paths.map(quote).join(", ")}]`;
  return {
    // A join, since a CASE of thousands of paths looks at each of them for each event.
    definitions: [`written_paths AS (
      SELECT arrayElement(${list(changed)}, place) AS plain_path, arrayElement(${
      list(changed.map(write))
    }, place) AS written_path
      FROM (SELECT arrayJoin(range(1, ${changed.length + 1})) AS place) AS places
    )`],
    join: (column) => `LEFT JOIN written_paths AS of_${column} ON ${column} = of_${column}.plain_path`,
    of: (column) => `if(coalesce(of_${column}.written_path, '') = '', ${column}, of_${column}.written_path)`,
  };
}
