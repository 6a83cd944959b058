/**
 * Query that all views share, read from a URL.
 *
 * @module
 */
import { type ReportFilter, type Traffic, TRAFFICS } from "../../ports/report_query.ts";
import type { WeekStart } from "./days.ts";
import { listFilterTexts, readFilters } from "./filters.ts";
import { isProblem, NO_SITE, type Problem, type Range, readOneOf, readRange } from "./query.ts";
import { createZone, toZoneDay, UTC, type Zone } from "./zones.ts";

/** The period beside another one: as many days before, the same weekdays of the weeks before, the same days of the month before, its last where it has no such day, or the same weekdays a year ago. */
export const COMPARISONS = ["before", "weeks", "month", "year"] as const;

/** One of {@linkcode COMPARISONS}. */
export type Comparison = typeof COMPARISONS[number];

/** A query without the site, and without the parameters of one view. */
export interface ViewQuery extends Range {
  /** Name of the view. */
  readonly view: string;
  /** Zone of the days. */
  readonly zone: Zone;
  /**
   * Name of the zone that is meant where none is named.
   *
   * @default {"UTC"}
   */
  readonly usualZone?: string;
  /** Day that weeks begin on; Monday where it's absent. */
  readonly weekStart?: WeekStart;
  /** The period beside it. */
  readonly compare: Comparison;
  /** Whose events. */
  readonly traffic: Traffic;
  /** Filters; those of a name are one, with alternatives. */
  readonly filters: readonly ReportFilter[];
}

/** Reads what is asked for of any view. An empty parameter counts as missing. */
export function readSharedQuery(parameters: URLSearchParams, now: number): Omit<ViewQuery, "view"> | Problem {
  const zone = createZone(parameters.get("zone") || UTC.name);
  if (zone === undefined) return refuse("bad_zone", "zone must be a time zone such as Europe/Berlin");
  const range = readRange(parameters, { day: toZoneDay(zone, now), zone: zone.name });
  if (isProblem(range)) return range;
  const compare = readOneOf(parameters, "compare", COMPARISONS);
  if (compare === undefined) return refuse("bad_compare", `compare must be one of ${COMPARISONS.join(", ")}`);
  const traffic = readOneOf(parameters, "traffic", TRAFFICS);
  if (traffic === undefined) return refuse("bad_traffic", `traffic must be one of ${TRAFFICS.join(", ")}`);
  const filters = readFilters(parameters.getAll("filter").filter((text) => text !== ""));
  if (isProblem(filters)) return filters;
  return { ...range, zone, compare, traffic, filters };
}

/** Lists the parameters that {@linkcode readSharedQuery} reads; what is by default is left out, but for site and days. */
export function listSharedParameters(
  { site, from, to, zone, usualZone = UTC.name, compare, traffic, filters }: ViewQuery & { readonly site: string },
): readonly (readonly [name: string, text: string])[] {
  return [
    ["site", site || NO_SITE],
    ["from", from],
    ["to", to],
    ...(zone.name === usualZone ? [] : [["zone", zone.name] as const]),
    ...(compare === COMPARISONS[0] ? [] : [["compare", compare] as const]),
    ...(traffic === TRAFFICS[0] ? [] : [["traffic", traffic] as const]),
    ...listFilterTexts(filters).map((text) => ["filter", text] as const),
  ];
}

function refuse(code: Problem["code"], message: string): Problem {
  return { status: 400, code, message };
}
