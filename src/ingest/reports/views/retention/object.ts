import { resolveFilters, resolveStages } from "../../query/goals.ts";
import { writeStage } from "../../query/stages.ts";
import { startOfDay, toZoneDay } from "../../query/zones.ts";
import { readScope, type ViewScope } from "../../view/scope.ts";
import type { ViewRequest, ViewSource } from "../../view/view.ts";
import { listPeriods } from "./cohort_days.ts";
import type { RetentionQuery } from "./query.ts";

/** Retention: who comes back. */
export interface RetentionView extends ViewScope {
  /** Which view it is. */
  readonly view: "retention";
  /** Length of the periods. */
  readonly unit: "week" | "day" | "month";
  /** The event that counts as a return, written as in the query: `goal:Order`; absent where any event does. */
  readonly event?: string;
  /** Visitors by the period of their first event, a row each. */
  readonly cohorts: readonly {
    /** First day of the period. */
    readonly from: string;
    /** Number of visitors. */
    readonly size: number;
    /** Number of those among them with an event in this period, the next, and so on. */
    readonly returned: readonly number[];
  }[];
  /** Whether the last period isn't over yet, so that its numbers grow. */
  readonly isRunning: boolean;
}

/** Counts how many visitors come back. */
export async function readRetention(
  source: ViewSource,
  request: ViewRequest & RetentionQuery,
): Promise<RetentionView> {
  const { reader, now } = source;
  const { unit, event, zone } = request;
  const today = toZoneDay(zone, now());
  // Nobody was first seen in what is to come.
  const days = listPeriods(unit, request).filter((_, index, all) => index < 2 || (all[index - 1] ?? "") <= today);
  const bounds = days.map((day) => startOfDay(zone, day));
  const { apiKey, site, traffic, ownOrigins, pathRules } = request;
  const filters = resolveFilters(request.filters, request);
  const cohorts = await reader.retention({ apiKey, site, traffic, filters, ownOrigins, pathRules }, {
    bounds,
    ...(event !== undefined && { returns: resolveStages([event], request).flat() }),
  });
  return {
    view: "retention",
    ...await readScope(source, request),
    unit,
    ...(event !== undefined && { event: writeStage(event) }),
    cohorts: cohorts.map(({ size, returned }, index) => ({ from: days[index] ?? "", size, returned })),
    isRunning: now() < (bounds.at(-1) ?? 0),
  };
}
