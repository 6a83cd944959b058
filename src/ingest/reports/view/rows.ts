/**
 * Rows of lists that several views have.
 *
 * @module
 */
import type { PageCounts, SourceCounts, ViewCounts } from "../../ports/report_counts.ts";
import type { ReportFilter } from "../../ports/report_query.ts";
import { divide } from "./divide.ts";
import { toConsentShare } from "./spans.ts";

/** A page. */
export interface PageRow extends Omit<PageCounts, "bounces" | "engagedMs"> {
  /** Share of the pageviews with consent. */
  readonly consentShare: number | null;
  /** Share of the entries that bounced; null without one. */
  readonly bounceRate: number | null;
  /** Exits, divided by the views with consent, 0 to 1; null without a view, and where there are more exits than views. */
  readonly exitRate: number | null;
  /** Mean engagement of its views with consent, in milliseconds; null where none was recorded. */
  readonly engagedMsPerView: number | null;
}

/** Where sessions came from. */
export interface SourceRow extends Omit<SourceCounts, "bounces"> {
  /** Share of the landings that bounced; null without one. */
  readonly bounceRate: number | null;
}

/** Builds the row of a page, or of several. */
export function toPageRow<T extends Omit<PageCounts, "path" | "visitors">>(
  { bounces, engagedMs, ...row }: T,
  { filters }: { readonly filters: readonly ReportFilter[] },
): Omit<T, "bounces" | "engagedMs"> & Pick<PageRow, "consentShare" | "bounceRate" | "exitRate" | "engagedMsPerView"> {
  const { consentShare } = toConsentShare(row.views, filters);
  const engagedMsPerView = toEngagedPerView(engagedMs, row.views);
  const exitRate = row.exits > row.views.full ? null : divide(row.exits, row.views.full);
  return { ...row, consentShare, bounceRate: divide(bounces, row.entries), exitRate, engagedMsPerView };
}

/** Returns the mean engagement of the views with consent, in milliseconds; null where none was recorded. */
export function toEngagedPerView(engagedMs: number, { full }: ViewCounts): number | null {
  const mean = engagedMs === 0 ? null : divide(engagedMs, full);
  return mean === null ? null : Math.round(mean);
}

/** Builds the row of a source, or of several. */
export function toSourceRow<T extends Omit<SourceCounts, "label" | "visitors">>(
  { bounces, ...row }: T,
): Omit<T, "bounces"> & Pick<SourceRow, "bounceRate"> {
  return { ...row, bounceRate: divide(bounces, row.landings) };
}
