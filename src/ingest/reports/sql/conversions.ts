import { listScalarForms } from "../../events/scalars.ts";
import type { ConversionCounts, ConvertedList, CountedEvent } from "../../ports/reader.ts";
import type { ReportQuery } from "../../ports/report_query.ts";
import type { Engine } from "./engine.ts";
import { readNumber, readSum } from "./rows.ts";
import { buildTables } from "./tables.ts";

/** Counts which sessions of a list's rows reach a goal. */
export async function readConversions(
  engine: Engine,
  query: ReportQuery,
  { goal, ...list }: ConvertedList & { readonly goal: CountedEvent },
  names: readonly string[],
): Promise<readonly ConversionCounts[]> {
  const isOfValues = list.list === "values";
  // An event without the property has no value, not even an empty one.
  const labels = isOfValues ? names.filter((name) => name !== "").flatMap(listScalarForms) : names;
  if (labels.length === 0) return [];
  const definitions = await buildTables(engine, query, { list, goal });
  const rows = await engine.select(
    `${definitions} SELECT * FROM conversions WHERE label IN (${
      labels.map(engine.dialect.quote).join(", ")
    }) AND sessions + exits > 0`,
  );
  return rows.map((row) => ({
    // Engines write large numbers in forms of their own.
    name: isOfValues ? JSON.stringify(JSON.parse(String(row.label))) : String(row.label),
    sessions: readNumber(row.sessions),
    conversions: readNumber(row.conversions),
    completions: readNumber(row.completions),
    sum: readSum(row.worth),
    ...(list.list === "pages" && { exitsWithout: readNumber(row.exits) }),
  }));
}
