import { OTHER, type Table } from "../../view/csv.ts";
import type { PagesView } from "./object.ts";

/** Builds a row a page. */
export function toPagesTable({ rows, other }: PagesView): Table {
  const heads = [
    ...["path", "full", "aggregate", "consentShare", "visitors", "entries", "exits", "bounceRate"],
    "engagedMsPerView",
  ];
  return [
    heads,
    ...rows.map(({ path, views: { full, aggregate }, consentShare, visitors, entries, exits, ...rest }) => [
      ...[path, full, aggregate, consentShare, visitors],
      ...[entries, exits, rest.bounceRate, rest.engagedMsPerView],
    ]),
    ...(other === null ? [] : [[
      ...[OTHER, other.views.full, other.views.aggregate, other.consentShare, null],
      ...[other.entries, other.exits, other.bounceRate, other.engagedMsPerView],
    ]]),
  ];
}
