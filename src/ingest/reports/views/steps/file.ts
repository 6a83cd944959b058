import { addConversionCells, nameBefore, OTHER, type Table } from "../../view/csv.ts";
import type { Valued } from "./goal_value.ts";
import type { StepsView } from "./object.ts";

const HEADS = ["Times", "Visitors"] as const;

/** Builds a row a step, or a value of one. */
export function toStepsTable({ rows, other, values }: StepsView): Table {
  if (values === undefined) {
    return addGoalValueCells([
      ["Name", ...HEADS, ...nameBefore(HEADS)],
      ...rows.map(({ name, count, visitors, before }) => [
        ...[name, count, visitors, before?.count ?? 0, before?.visitors ?? 0],
      ]),
      ...(other === null ? [] : [[OTHER, other.count, null, null, null]]),
    ], rows);
  }
  const table: Table = [
    [values.key ?? "Value", "Type", ...HEADS, ...nameBefore(HEADS)],
    ...values.rows.map(({ value, count, visitors, before }) => [
      ...[typeof value === "number" ? value : String(value), value === null ? "null" : typeof value],
      ...[count, visitors, before?.count ?? 0, before?.visitors ?? 0],
    ]),
    ...(values.other === null ? [] : [[OTHER, "other", values.other.count, null, null, null]]),
  ];
  // A goal that is chosen has a value of its own.
  const hasGoal = values.rows.some(({ conversion }) => conversion !== undefined);
  return hasGoal ? addConversionCells(table, values.rows) : addGoalValueCells(table, values.rows);
}

/** Adds the column of values, where its rows have any. */
function addGoalValueCells(table: Table, rows: readonly Valued[]): Table {
  if (rows.every(({ goalValue }) => goalValue === undefined)) return table;
  return table.map((cells, index) => [...cells, index === 0 ? "Value" : rows[index - 1]?.goalValue ?? null]);
}
