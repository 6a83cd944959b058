import { addConversionCells, OTHER, type Table } from "../../view/csv.ts";
import type { SourcesView } from "./object.ts";

/** Builds a row a source. */
export function toSourcesTable({ rows, other }: SourcesView): Table {
  return addConversionCells([
    [
      ...["label", "full", "aggregate", "sessions", "visitors", "landings", "bounceRate"],
      ...["sessionsBefore", "visitorsBefore"],
    ],
    ...rows.map(({ label, views: { full, aggregate }, sessions, visitors, landings, bounceRate, before }) => [
      ...[label, full, aggregate, sessions, visitors],
      ...[landings, bounceRate, before?.sessions ?? 0, before?.visitors ?? 0],
    ]),
    ...(other === null ? [] : [[
      ...[OTHER, other.views.full, other.views.aggregate, other.sessions, null],
      ...[other.landings, other.bounceRate, null, null],
    ]]),
  ], rows);
}
