import { OTHER, type Table } from "../../view/csv.ts";
import type { StepsView } from "./object.ts";

/** Builds a row a step, or a value of one. */
export function toStepsTable({ rows, other, values }: StepsView): Table {
  if (values === undefined) {
    return [
      ["name", "count", "visitors"],
      ...rows.map(({ name, count, visitors }) => [name, count, visitors]),
      ...(other === null ? [] : [[OTHER, other.count, null]]),
    ];
  }
  return [
    ["value", "type", "count", "visitors"],
    ...values.rows.map(({ value, count, visitors }) => [
      ...[typeof value === "number" ? value : String(value), value === null ? "null" : typeof value],
      ...[count, visitors],
    ]),
    ...(values.other === null ? [] : [[OTHER, "other", values.other.count, null]]),
  ];
}
