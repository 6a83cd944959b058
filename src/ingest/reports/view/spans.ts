/**
 * Counts of a span of time, and of the parts of one.
 *
 * @module
 */
import type { OverviewCounts } from "../../ports/reader.ts";
import type { ViewCounts, VisitCounts } from "../../ports/report_counts.ts";
import { keepsAggregates, type ReportFilter } from "../../ports/report_query.ts";
import { findPeriods, type PartUnit, type Period } from "../query/periods.ts";
import { formatClock, toZoneDay, type Zone } from "../query/zones.ts";
import { divide } from "./divide.ts";
import { toQuery, toQueryOfDays } from "./scope.ts";
import type { ViewRequest, ViewSource } from "./view.ts";

/** Pageviews, and the share of those with consent. */
export interface ConsentShare {
  /** Pageviews. */
  readonly pageviews: ViewCounts;
  /** Share of those with consent, 0 to 1; null without any, and under filters that leave none before consent. */
  readonly consentShare: number | null;
}

/** Counts of a span of time. */
export interface SpanCounts {
  /** Its first moment, in ISO 8601. */
  readonly start: string;
  /** Its end, in ISO 8601; what happened then isn't counted. */
  readonly end: string;
  /** Pageviews. */
  readonly pageviews: ViewCounts;
  /** Share of the pageviews with consent, 0 to 1; null without pageviews, and under filters that leave none before consent. */
  readonly consentShare: number | null;
  /** Distinct visitors, of the views with consent, as all that follows. */
  readonly visitors: number;
  /** Distinct users. */
  readonly users: number;
  /** Sessions that began in it. */
  readonly sessions: number;
  /** Those of them that began with an arrival. The others were joined midway, where a visitor consented on a later page. */
  readonly landings: number;
  /** Pageviews a landing; null without one. */
  readonly viewsPerSession: number | null;
  /** Share of the landings that bounced, 0 to 1; null without one. */
  readonly bounceRate: number | null;
  /** Sessions among them that have nothing but pageviews of one moment: they last 0 s, and show no sign of life. */
  readonly instantSessions: number;
}

/** Counts of a minute, an hour, a day, a week or a month. */
export interface PartCounts extends SpanCounts {
  /** When it begins on the clocks of the zone: a day, or `2026-01-31T14:00`. */
  readonly from: string;
}

/** A period, and what the store counted of it. */
export interface ReadPeriod {
  /** The period. */
  readonly period: Period;
  /** Its counts. */
  readonly total: OverviewCounts;
  /** Counts of its parts. */
  readonly parts: readonly VisitCounts[];
}

/** The days that were asked for, and what stands beside them. */
export interface ReadPeriods {
  /** The days. */
  readonly current: ReadPeriod;
  /** The period beside them. */
  readonly before: ReadPeriod;
  /** Length of the parts of both. */
  readonly unit: PartUnit;
}

/** Counts the days that were asked for, their parts, and what stands beside them. */
export async function readPeriods({ reader, now }: ViewSource, request: ViewRequest): Promise<ReadPeriods> {
  const { current, before, unit } = findPeriods(request, now());
  return {
    current: { period: current, ...await reader.overview(toQuery(request, current), current.bounds) },
    before: { period: before, ...await reader.overview(toQuery(request, before), before.bounds) },
    unit,
  };
}

/** Counts the days that were asked for, without their parts. */
export async function readTotals(source: ViewSource, request: ViewRequest): Promise<VisitCounts> {
  return (await source.reader.overview(toQueryOfDays(source, request), [])).total;
}

interface Filtered {
  readonly filters: readonly ReportFilter[];
}

/** Builds the counts of parts. */
export function toParts(
  { period: { bounds }, parts }: Pick<ReadPeriod, "parts"> & { readonly period: Pick<Period, "bounds"> },
  { zone, unit, filters }: Filtered & { readonly zone: Zone; readonly unit: PartUnit | "minute" },
): readonly PartCounts[] {
  return parts.map((part, index) => {
    const [startMs = 0, endMs = 0] = bounds.slice(index);
    return { from: formatStart(startMs, { zone, unit }), ...toSpanCounts(part, { startMs, endMs, filters }) };
  });
}

/** Builds the counts of a span. */
export function toSpanCounts(
  { pageviews, visitors, users, sessions, landings, landingViews, bounces, instantSessions }: VisitCounts,
  { startMs, endMs, filters }: Filtered & { readonly startMs: number; readonly endMs: number },
): SpanCounts {
  return {
    start: new Date(startMs).toISOString(),
    end: new Date(endMs).toISOString(),
    ...toConsentShare(pageviews, filters),
    visitors,
    users,
    sessions,
    landings,
    viewsPerSession: divide(landingViews, landings),
    bounceRate: divide(bounces, landings),
    instantSessions,
  };
}

/** Builds the pageviews, and the share with consent. */
export function toConsentShare(pageviews: ViewCounts, filters: readonly ReportFilter[]): ConsentShare {
  const { full, aggregate } = pageviews;
  return { pageviews, consentShare: keepsAggregates(filters) ? divide(full, full + aggregate) : null };
}

/** Writes when a part begins on the clocks of a zone. */
export function formatStart(
  startMs: number,
  { zone, unit }: { readonly zone: Zone; readonly unit: PartUnit | "minute" },
): string {
  const day = toZoneDay(zone, startMs);
  return unit === "hour" || unit === "minute" ? `${day}T${formatClock(zone, startMs)}` : day;
}

/** Adds up views of both forms. */
export function countViews({ full, aggregate }: ViewCounts): number {
  return full + aggregate;
}
