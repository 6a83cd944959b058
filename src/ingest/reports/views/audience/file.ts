import { nameFilter } from "../../page/filters.ts";
import { addConversionCells, nameBefore, OTHER, type Table } from "../../view/csv.ts";
import type { AudienceView } from "./object.ts";

/** Builds a row a label. */
export function toAudienceTable({ dimension, rows, other }: AudienceView): Table {
  return addConversionCells([
    [
      ...[nameFilter(dimension), "Views with consent", "Sessions", "Visitors", "Landings", "Bounce rate"],
      ...nameBefore(["Sessions", "Visitors"]),
    ],
    ...rows.map(({ label, views, sessions, visitors, landings, bounceRate, before }) => [
      ...[label ?? "unknown", views.full, sessions, visitors],
      ...[landings, bounceRate, before?.sessions ?? 0, before?.visitors ?? 0],
    ]),
    ...(other === null ? [] : [[
      ...[OTHER, other.views.full, other.sessions, null],
      ...[other.landings, other.bounceRate, null, null],
    ]]),
  ], rows);
}
