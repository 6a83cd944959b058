import { nameBefore, type Table } from "../../view/csv.ts";
import type { GoalsView } from "./object.ts";

const HEADS = ["Visitors", "Times", "Conversion rate", "Value"] as const;

/** Builds a row a goal. */
export function toGoalsTable({ rows }: GoalsView): Table {
  const counts = ["visitors", "completions", "conversionRate", "value"] as const;
  return [
    ["Goal", "Event", ...HEADS, ...nameBefore(HEADS)],
    ...rows.map(({ name, event, current, before }) => [
      ...[name, event],
      ...counts.map((count) => current[count]),
      ...counts.map((count) => before[count]),
    ]),
  ];
}
