import { type Cell, nameBefore, type Table, VIEW_HEADS } from "../../view/csv.ts";
import type { SiteCounts, SitesView } from "./object.ts";

const HEADS = ["Visitors", ...VIEW_HEADS, "Sessions", "With consent"] as const;

/** Builds a row a site. */
export function toSitesTable({ rows }: SitesView): Table {
  const toCells = (
    { visitors, pageviews: { full, aggregate }, sessions, consentShare }: SiteCounts,
  ): readonly Cell[] => [
    ...[visitors, full, aggregate, sessions, consentShare],
  ];
  return [
    ["Site", ...HEADS, ...nameBefore(HEADS)],
    ...rows.map(({ site, before, ...current }) => [site, ...toCells(current), ...toCells(before)]),
  ];
}
