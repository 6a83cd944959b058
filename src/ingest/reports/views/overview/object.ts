import { monthOf } from "../../../events/stored_event.ts";
import type { Traffic, ViewCounts } from "../../../ports/reader.ts";
import { toDay } from "../../query/days.ts";
import type { Note } from "../../query/notes.ts";
import { readScope, toQuery, type ViewScope } from "../../view/scope.ts";
import {
  type PartCounts,
  type ReadPeriod,
  readPeriods,
  type SpanCounts,
  toParts,
  toSpanCounts,
} from "../../view/spans.ts";
import type { ViewRequest, ViewSource } from "../../view/view.ts";

/** The overview. */
export interface OverviewView extends ViewScope {
  /** Which view it is. */
  readonly view: "overview";
  /** The period of `before`: as many days before, the same weekdays of the weeks before, or those a year ago. */
  readonly compare: "before" | "weeks" | "year";
  /** The days that were asked for. */
  readonly current: SpanCounts & {
    /** First day. */
    readonly from: string;
    /** Last day, included. */
    readonly to: string;
    /** Median length of the sessions with two events or more, in milliseconds; null without one. */
    readonly medianSessionMs: number | null;
  };
  /** The period beside them. It ends at the same hour while they aren't over. */
  readonly before: OverviewView["current"];
  /** Length of the parts. */
  readonly unit: "hour" | "day" | "week";
  /** Parts of `current`. */
  readonly parts: readonly PartCounts[];
  /** Parts of `before`. */
  readonly partsBefore: readonly PartCounts[];
  /** Notes of `current`, the first day first. */
  readonly notes: readonly Note[];
  /** Pageviews of crawlers and of own visits in the days that were asked for, whatever the filters. */
  readonly flagged: Readonly<Record<Exclude<Traffic, "people">, ViewCounts>>;
  // SPEC 1
  /** Use of the key's allowance: this month, by all sites, whatever the filters. */
  readonly allowance: {
    /** The month in UTC, by the time of arrival: `2026-11`. It's the current one, whatever the range of the report. */
    readonly month: string;
    /** Pageviews that count: full and aggregate, of all sites of the key. */
    readonly used: number;
    /** Pageviews that the plan allows; null where there is no limit. */
    readonly limit: number | null;
  };
}

/** Counts of a period. */
export type PeriodCounts = OverviewView["current"];

/** Counts visitors, pageviews and sessions. */
export async function readOverview(
  source: ViewSource,
  request: ViewRequest,
): Promise<OverviewView> {
  const { reader, now } = source;
  const { current, before, unit } = await readPeriods(source, request);
  const month = monthOf(toDay(now()));
  return {
    view: "overview",
    ...await readScope(source, request),
    compare: request.compare,
    current: toPeriodCounts(current, request),
    before: toPeriodCounts(before, request),
    unit,
    parts: toParts(current, { ...request, unit }),
    partsBefore: toParts(before, { ...request, unit }),
    notes: request.notes,
    flagged: await reader.countFlagged(toQuery(request, current.period)),
    allowance: { month, used: await reader.countPageviews(request.apiKey, month), limit: request.allowance },
  };
}

function toPeriodCounts({ period, total }: ReadPeriod, { filters }: ViewRequest): PeriodCounts {
  const { from, to, startMs, endMs } = period;
  const { medianSessionMs } = total;
  return { from, to, ...toSpanCounts(total, { startMs, endMs, filters }), medianSessionMs };
}
