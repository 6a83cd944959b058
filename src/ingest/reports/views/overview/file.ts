import type { Table } from "../../view/csv.ts";
import { addNotes, toPartTable } from "../../view/part_table.ts";
import type { OverviewView } from "./object.ts";

/** Builds the rows of its parts. */
export function toOverviewTable(view: OverviewView): Table {
  return addNotes(toPartTable(view), view);
}
