import type { CountedEvent, EventTotals } from "../../../ports/reader.ts";
import { VALUE_KINDS } from "../sqlite_facts_schema.ts";
import type { Chosen } from "./chosen.ts";
import { buildPoint } from "./conditions.ts";
import { findTexts } from "./select.ts";

/** Counts events of several kinds in a whole range, and in its parts: in one pass for all of them. */
export function countEvents(
  chosen: Chosen,
  events: readonly CountedEvent[],
  bounds: readonly number[],
): readonly { readonly total: EventTotals; readonly parts: readonly EventTotals[] }[] {
  if (events.length === 0) return [];
  const { database, query: { from, to }, facts } = chosen;
  const points = events.map(({ event }) => buildPoint(event, chosen));
  const statement = database.prepare(
    `SELECT ${events.map(({ sumOf }, index) => buildCounts(points[index] ?? "false", { sumOf, index })).join(", ")}
    FROM facts AS f WHERE ${facts} AND (${points.join(" OR ")})`,
  );
  const read = (start: number, end: number): readonly EventTotals[] => {
    const row = statement.get(start, end) ?? {};
    return events.map((_, index) => ({
      count: Number(row[`count_${index}`]),
      visitors: Number(row[`visitors_${index}`]),
      sum: Number(row[`sum_${index}`]),
    }));
  };
  const totals = read(from, to);
  const parts = bounds.slice(1).map((end, index) => read(bounds[index] ?? end, end));
  return totals.map((total, index) => ({ total, parts: parts.flatMap((part) => part[index] ?? []) }));
}

/** Builds the columns of what is counted where a condition holds, with their place in their names. Pageviews have no properties. */
function buildCounts(
  condition: string,
  { sumOf, index }: { readonly sumOf: string | undefined; readonly index: number },
): string {
  const isCounted = `FILTER (WHERE ${condition})`;
  const value = sumOf !== undefined
    ? `(SELECT n.value FROM fact_properties AS n
        WHERE n.seq = f.seq AND n.kind = ${VALUE_KINDS.number} AND n.key IN ${findTexts([sumOf])})`
    : "0";
  return `count(*) ${isCounted} AS count_${index}, count(DISTINCT f.visitor) ${isCounted} AS visitors_${index},
    total(${value}) ${isCounted} AS sum_${index}`;
}
