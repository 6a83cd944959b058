import { type Cell, nameBefore, type Table, TOTAL } from "../../view/csv.ts";
import { addNotes, SPAN_HEADS, toSpanCells } from "../../view/part_table.ts";
import { findBefore } from "./bars.ts";
import type { OverviewView, PeriodCounts } from "./object.ts";

/** Heads of figures that the whole period alone has. */
const TOTAL_HEADS = ["Session length, ms", "Time per view, ms"] as const;

/** Builds the rows of its parts and one of all of them, each beside the period before. */
export function toOverviewTable(view: OverviewView): Table {
  const { current, before, parts } = view;
  const heads = [...SPAN_HEADS, ...TOTAL_HEADS];
  const befores = findBefore(view);
  const noTotals = TOTAL_HEADS.map(() => null);
  const toTotals = (period: PeriodCounts): readonly Cell[] => [
    ...toSpanCells(period),
    ...[period.medianSessionMs, period.engagedMsPerView],
  ];
  return addNotes([
    ["From", ...heads, ...nameBefore(heads)],
    ...parts.map((part, index) => [
      ...[part.from, ...toSpanCells(part), ...noTotals],
      ...[...toSpanCells(befores[index]), ...noTotals],
    ]),
    [TOTAL, ...toTotals(current), ...toTotals(before)],
  ], view);
}
