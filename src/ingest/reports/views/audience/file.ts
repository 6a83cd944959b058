import { addConversionCells, OTHER, type Table } from "../../view/csv.ts";
import type { AudienceView } from "./object.ts";

/** Builds a row a label. */
export function toAudienceTable({ rows, other }: AudienceView): Table {
  return addConversionCells([
    ["label", "views", "sessions", "visitors", "landings", "bounceRate", "sessionsBefore", "visitorsBefore"],
    ...rows.map(({ label, views, sessions, visitors, landings, bounceRate, before }) => [
      ...[label, views.full, sessions, visitors],
      ...[landings, bounceRate, before?.sessions ?? 0, before?.visitors ?? 0],
    ]),
    ...(other === null ? [] : [[
      ...[OTHER, other.views.full, other.sessions, null],
      ...[other.landings, other.bounceRate, null, null],
    ]]),
  ], rows);
}
