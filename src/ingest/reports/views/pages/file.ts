import { addConversionCells, nameBefore, OTHER, type Table, VIEW_HEADS } from "../../view/csv.ts";
import type { PagesView } from "./object.ts";

/** Builds a row a page. */
export function toPagesTable({ rows, other }: PagesView): Table {
  const heads = [
    ...["Path", ...VIEW_HEADS, "With consent", "Visitors", "Landings", "Exits", "Exit rate", "Bounce rate"],
    ...["Time per view, ms", ...nameBefore([...VIEW_HEADS, "Visitors"])],
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
