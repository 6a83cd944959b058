import type { ReportReader } from "../../../ports/reader.ts";
import type { AcceptanceCounts, ViewCounts } from "../../../ports/report_counts.ts";
import { keepsAggregates, type ReportFilter, type ReportQuery } from "../../../ports/report_query.ts";
import type { Note } from "../../query/notes.ts";
import { divide } from "../../view/divide.ts";
import { toCount } from "../../query/few.ts";
import { readScope, toQuery, type ViewScope } from "../../view/scope.ts";
import {
  type ConsentShare,
  type ReadPeriod,
  type ReadPeriods,
  readPeriods,
  toConsentShare,
  toParts,
} from "../../view/spans.ts";
import { MAX_ROWS, type ViewRequest, type ViewSource } from "../../view/view.ts";
import { listConsentPages, listConsentReferrers } from "./lists.ts";
import type { ConsentQuery } from "./query.ts";

/** Consent: what came with it and before it, side by side. */
export interface ConsentView extends ViewScope {
  /** Which view it is. */
  readonly view: "consent";
  /** The period of `before`: as many days before, the same weekdays before, the same days a month before, or the same weekdays a year ago. */
  readonly compare: "before" | "weeks" | "month" | "year";
  /** The days that were asked for. */
  readonly current: ConsentView["before"] & Omit<ConsentView["parts"][number], "from"> & {
    /** Pageviews that came from elsewhere. */
    readonly arrivals: ViewCounts;
    /** Pageviews an arrival before consent; null without one. */
    readonly viewsPerArrival: number | null;
    /** Pageviews a session that began with an arrival, with consent; null without one. */
    readonly viewsPerSession: number | null;
  };
  /** The period beside them. */
  readonly before: ConsentShare & AcceptanceCounts & {
    /** First day. */
    readonly from: string;
    /** Last day, included. */
    readonly to: string;
    /** As that of `current`. */
    readonly acceptance: number | null;
  };
  /** Length of the parts. */
  readonly unit: "hour" | "day" | "week" | "month";
  /** Parts of `current`. */
  readonly parts: readonly (ConsentShare & AcceptanceCounts & {
    /** When it begins on the clocks of the zone. */
    readonly from: string;
    /**
     * The newly consented, divided by the arrivals before a choice: an estimate. It's null without any, and under filters
     * that leave none before consent. It is above 1 where more consent than are known to have arrived: then it estimates
     * nothing.
     */
    readonly acceptance: number | null;
  })[];
  /** Notes of `current`, the first day first. */
  readonly notes: readonly Note[];
  /** Pages, the most viewed first. */
  readonly pages: readonly (ConsentShare & {
    /** Path, or origin. */
    readonly label: string | null;
    /** Its counts in the period before; null where it has none there. */
    readonly before: ConsentShare | null;
  })[];
  /** Number of all pages. */
  readonly pageCount: number;
  /** Origins that pageviews came from, those with the most first; null for those that named none. */
  readonly referrers: ConsentView["pages"];
  /** Number of all referrers. */
  readonly referrerCount: number;
}

/** Compares what came with consent and before it. */
export async function readConsent(
  source: ViewSource,
  request: ViewRequest & ConsentQuery,
  rows: number,
): Promise<ConsentView> {
  const { reader } = source;
  const { current, before, unit } = await readPeriods(source, request);
  const query = toQuery(request, current.period);
  const pages = await listConsentPages(source, request, rows);
  // Aggregates name no campaign (SPEC 2.5), so that by channel or source the two kinds wouldn't compare.
  const sources = await reader.sources(query, { by: "referrer" }, MAX_ROWS);
  const referrers = await listConsentReferrers(source, request, { rows, read: sources });
  // Over a link to share counts are rounded, and many small ones would add up to too much: it asks for the sums.
  const isLink = request.views !== undefined;
  const { rows: summed, other } = isLink ? await reader.sources(query, { by: "referrer" }, 1) : sources;
  const arrivals = sum([...summed, ...(other === null ? [] : [other])].map(({ views }) => views));
  const { pageviews, landings, landingViews } = current.total;
  const [acceptedBefore, accepted] = await readAcceptance(reader, query, { current, before });
  const acceptedInAll = isLink ? await reader.acceptance(query, [query.from, query.to]) : accepted;
  return {
    view: "consent",
    ...await readScope(source, request),
    compare: request.compare,
    current: {
      ...toConsentPeriod(current, request),
      ...toAcceptance(acceptedInAll, request),
      arrivals,
      viewsPerArrival: divide(pageviews.aggregate, arrivals.aggregate),
      viewsPerSession: divide(landingViews, landings),
    },
    before: { ...toConsentPeriod(before, request), ...toAcceptance(acceptedBefore, request) },
    unit,
    parts: toParts(current, { ...request, unit }).map(({ from, pageviews, consentShare }, index) => ({
      from,
      pageviews,
      consentShare,
      ...toAcceptance(accepted.slice(index, index + 1), request),
    })),
    notes: request.notes,
    pages: pages.rows,
    pageCount: pages.count,
    referrers: referrers.rows,
    referrerCount: referrers.count,
  };
}

function toConsentPeriod(
  { period: { from, to }, total }: ReadPeriod,
  { filters }: { readonly filters: readonly ReportFilter[] },
): ConsentShare & Pick<ConsentView["before"], "from" | "to"> {
  return { from, to, ...toConsentShare(total.pageviews, filters) };
}

/** Reads who accepts, in the period before and in each part of the days, at once: most of the work is to find who is new. */
async function readAcceptance(
  reader: ReportReader,
  query: ReportQuery,
  { current, before }: Pick<ReadPeriods, "current" | "before">,
): Promise<readonly [readonly AcceptanceCounts[], readonly AcceptanceCounts[]]> {
  const [{ startMs, endMs }, { bounds }] = [before.period, current.period];
  if (endMs > query.from) { // a year beside the 364 days before
    return [
      await reader.acceptance({ ...query, from: startMs, to: endMs }, [startMs, endMs]),
      await reader.acceptance(query, bounds),
    ];
  }
  const isApart = endMs < query.from || bounds.length === 0;
  const spans = await reader.acceptance({ ...query, from: startMs }, [startMs, ...(isApart ? [endMs] : []), ...bounds]);
  return [spans.slice(0, 1), spans.slice(isApart ? 2 : 1)];
}

function toAcceptance(
  parts: readonly AcceptanceCounts[],
  { filters }: { readonly filters: readonly ReportFilter[] },
): AcceptanceCounts & Pick<ConsentView["current"], "acceptance"> {
  const newlyConsented = toCount(parts.reduce((total, part) => total + part.newlyConsented, 0));
  const arrivalsBeforeChoice = toCount(parts.reduce((total, part) => total + part.arrivalsBeforeChoice, 0));
  const acceptance = keepsAggregates(filters) ? divide(newlyConsented, arrivalsBeforeChoice) : null;
  return { newlyConsented, arrivalsBeforeChoice, acceptance };
}

function sum(views: readonly ViewCounts[]): ViewCounts {
  return {
    full: toCount(views.reduce((total, { full }) => total + full, 0)),
    aggregate: toCount(views.reduce((total, { aggregate }) => total + aggregate, 0)),
  };
}
