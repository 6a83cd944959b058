/**
 * Of what a view is.
 *
 * @module
 */
import type { DamagedFile } from "../../ports/reader.ts";
import type { ReportFilter, ReportQuery } from "../../ports/report_query.ts";
import { resolveFilters } from "../query/goals.ts";
import { findPeriods, type Period } from "../query/periods.ts";
import type { ViewObject, ViewRequest, ViewSource } from "./view.ts";

/** Of what a view is. */
export interface ViewScope extends Pick<ViewObject, "damaged"> {
  /** Origin of the site. */
  readonly site: string;
  /** First day, `2026-01-01`. */
  readonly from: string;
  /** Last day, included. */
  readonly to: string;
  /** Time zone of the days. */
  readonly zone: string;
  /** Whose events are counted: `people` leaves out those of crawlers and of the site's own people. */
  readonly traffic: ReportQuery["traffic"];
  /** Filters that hold. */
  readonly filters: readonly ReportFilter[];
}

/** Returns what a view leaves out: nothing where all can be read. Call it after its figures were read. */
export async function readDamaged({ reader }: Pick<ViewSource, "reader">): Promise<Pick<ViewObject, "damaged">> {
  const damaged: readonly DamagedFile[] = await reader.damaged?.() ?? [];
  return damaged.length === 0 ? {} : { damaged: damaged.map(({ file, events }) => ({ file, events })) };
}

/** Builds what a view says of itself. Call it after its figures were read. */
export async function readScope(
  { reader }: ViewSource,
  { site, from, to, zone, traffic, filters }: ViewRequest,
): Promise<ViewScope> {
  return { site, from, to, zone: zone.name, traffic, filters, ...await readDamaged({ reader }) };
}

/** Builds what the store is asked for a span of time. */
export function toQuery(request: ViewRequest, { startMs, endMs }: Pick<Period, "startMs" | "endMs">): ReportQuery {
  const { apiKey, site, traffic, ownOrigins, pathRules } = request;
  const filters = resolveFilters(request.filters, request);
  return { apiKey, site, traffic, from: startMs, to: endMs, filters, ownOrigins, pathRules };
}

/** Builds what the store is asked for the days. */
export function toQueryOfDays({ now }: ViewSource, request: ViewRequest): ReportQuery {
  return toQuery(request, findPeriods(request, now()).current);
}
