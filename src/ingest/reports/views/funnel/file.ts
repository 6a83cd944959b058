import type { Table } from "../../view/csv.ts";
import type { FunnelView } from "./object.ts";

/** Builds a row a stage. */
export function toFunnelTable({ stages }: FunnelView): Table {
  return [
    ["stage", "visitors", "share", "medianMs"],
    ...stages.map(({ stage, visitors, share, medianMs }) => [stage, visitors, share, medianMs]),
  ];
}
