import { addConversionCells, OTHER, type Table } from "../../view/csv.ts";
import type { StepsView } from "./object.ts";

/** Builds a row a step, or a value of one. */
export function toStepsTable({ rows, other, values }: StepsView): Table {
  if (values === undefined) {
    return [
      ["name", "count", "visitors", "countBefore", "visitorsBefore"],
      ...rows.map(({ name, count, visitors, before }) => [
        ...[name, count, visitors, before?.count ?? 0, before?.visitors ?? 0],
      ]),
      ...(other === null ? [] : [[OTHER, other.count, null, null, null]]),
    ];
  }
  return addConversionCells([
    ["value", "type", "count", "visitors", "countBefore", "visitorsBefore"],
    ...values.rows.map(({ value, count, visitors, before }) => [
      ...[typeof value === "number" ? value : String(value), value === null ? "null" : typeof value],
      ...[count, visitors, before?.count ?? 0, before?.visitors ?? 0],
    ]),
    ...(values.other === null ? [] : [[OTHER, "other", values.other.count, null, null, null]]),
  ], values.rows);
}
