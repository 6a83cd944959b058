import type { Table } from "../../view/csv.ts";
import type { GoalsView } from "./object.ts";

/** Builds a row a goal. */
export function toGoalsTable({ rows }: GoalsView): Table {
  const counts = ["visitors", "completions", "conversionRate", "value"] as const;
  return [
    ["name", "event", ...counts, ...counts.map((count) => `${count}Before`)],
    ...rows.map(({ name, event, current, before }) => [
      ...[name, event],
      ...counts.map((count) => current[count]),
      ...counts.map((count) => before[count]),
    ]),
  ];
}
