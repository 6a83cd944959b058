import { addConversionCells, OTHER, type Table } from "../../view/csv.ts";
import type { PagesView } from "./object.ts";

/** Builds a row a page. */
export function toPagesTable({ rows, other }: PagesView): Table {
  const heads = [
    ...["path", "full", "aggregate", "consentShare", "visitors", "entries", "exits", "exitRate", "bounceRate"],
    ...["engagedMsPerView", "fullBefore", "aggregateBefore", "visitorsBefore"],
  ];
  return addConversionCells([
    heads,
    ...rows.map(({ path, views: { full, aggregate }, consentShare, visitors, entries, exits, before, ...rest }) => [
      ...[path, full, aggregate, consentShare, visitors],
      ...[entries, exits, rest.exitRate, rest.bounceRate, rest.engagedMsPerView],
      ...[before?.views.full ?? 0, before?.views.aggregate ?? 0, before?.visitors ?? 0],
    ]),
    ...(other === null ? [] : [[
      ...[OTHER, other.views.full, other.views.aggregate, other.consentShare, null],
      ...[other.entries, other.exits, other.exitRate, other.bounceRate, other.engagedMsPerView],
      ...[null, null, null],
    ]]),
  ], rows);
}
