import { divide } from "../../view/divide.ts";
import type { Table } from "../../view/csv.ts";
import type { FunnelView } from "./object.ts";

/** Builds a row a stage. */
export function toFunnelTable({ stages }: FunnelView): Table {
  return [
    ["Stage", "Visitors", "Of the first", "Of those before", "Median time, ms"],
    ...stages.map(({ stage, visitors, share, medianMs }, index) => [
      ...[stage, visitors, share, divide(visitors, stages[index - 1]?.visitors ?? 0), medianMs],
    ]),
  ];
}
