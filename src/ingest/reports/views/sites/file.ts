import type { Cell, Table } from "../../view/csv.ts";
import type { SiteCounts, SitesView } from "./object.ts";

/** Builds a row a site. */
export function toSitesTable({ rows }: SitesView): Table {
  const toCells = (
    { visitors, pageviews: { full, aggregate }, sessions, consentShare }: SiteCounts,
  ): readonly Cell[] => [
    ...[visitors, full, aggregate, sessions, consentShare],
  ];
  return [
    [
      ...["site", "visitors", "full", "aggregate", "sessions", "consentShare"],
      ...["visitorsBefore", "fullBefore", "aggregateBefore", "sessionsBefore", "consentShareBefore"],
    ],
    ...rows.map(({ site, before, ...current }) => [site, ...toCells(current), ...toCells(before)]),
  ];
}
