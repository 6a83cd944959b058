import { nameFilter } from "../../page/filters.ts";
import { nameSource, toFilterName } from "../../page/source_words.ts";
import { addConversionCells, nameBefore, OTHER, type Table, VIEW_HEADS } from "../../view/csv.ts";
import type { SourcesView } from "./object.ts";

/** Builds a row a source. */
export function toSourcesTable({ by, rows, other }: SourcesView): Table {
  return addConversionCells([
    [
      ...[nameFilter(toFilterName(by)), ...VIEW_HEADS, "Sessions", "Visitors", "Landings", "Bounce rate"],
      ...nameBefore(["Sessions", "Visitors"]),
    ],
    ...rows.map(({ label, views: { full, aggregate }, sessions, visitors, landings, bounceRate, before }) => [
      ...[label ?? nameSource(by, null), full, aggregate, sessions, visitors],
      ...[landings, bounceRate, before?.sessions ?? 0, before?.visitors ?? 0],
    ]),
    ...(other === null ? [] : [[
      ...[OTHER, other.views.full, other.views.aggregate, other.sessions, null],
      ...[other.landings, other.bounceRate, null, null],
    ]]),
  ], rows);
}
