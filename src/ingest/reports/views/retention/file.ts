import type { Table } from "../../view/csv.ts";
import type { RetentionView } from "./object.ts";

/** Builds a row a cohort and period, so that each has the same cells. */
export function toRetentionTable({ cohorts }: RetentionView): Table {
  return [
    ["First seen", "Visitors", "Period", "Came back"],
    ...cohorts.flatMap(({ from, size, returned }) => returned.map((count, period) => [from, size, period, count])),
  ];
}
