import { findPeriods, type Period } from "../../query/periods.ts";
import { readScope, toQuery, type ViewScope } from "../../view/scope.ts";
import { countViews, type SpanCounts, toConsentShare } from "../../view/spans.ts";
import type { ViewRequest, ViewSource } from "../../view/view.ts";

/** All sites of a key beside each other. */
export interface SitesView extends Omit<ViewScope, "site"> {
  /** Which view it is. */
  readonly view: "sites";
  /** The period of `before`: as many days before, the same weekdays before, the same days a month before, or the same weekdays a year ago. */
  readonly compare: "before" | "weeks" | "month" | "year";
  /** Sites, the most viewed first: at most 50, of more those with the most events. */
  readonly rows: readonly (Pick<SpanCounts, "pageviews" | "consentShare" | "visitors" | "sessions"> & {
    /** Its origin; empty for events that are of no site. */
    readonly site: string;
    /** The same of what stands beside the days. */
    readonly before: Pick<SpanCounts, "pageviews" | "consentShare" | "visitors" | "sessions">;
  })[];
  /** Number of all of them. */
  readonly count: number;
}

/** Counts of a site. */
export type SiteCounts = SitesView["rows"][number]["before"];

/** A site. */
export type SiteRow = SitesView["rows"][number];

/** Most sites that stand beside each other, and how many of them are counted at a time. */
const [MAX_COMPARED_SITES, SITES_AT_ONCE] = [50, 5] as const;

/** Compares sites of the key. */
export async function readSites(
  source: ViewSource,
  request: ViewRequest,
): Promise<SitesView> {
  const { reader, now } = source;
  const sites = await request.sites();
  const { current, before } = findPeriods(request, now());
  const largest = sites.length > MAX_COMPARED_SITES ? await reader.sites(request.apiKey) : [];
  const compared = [...new Set([...largest.filter((site) => sites.includes(site)), ...sites])]
    .slice(0, MAX_COMPARED_SITES);
  const readSite = async (site: string, period: Period): Promise<SiteCounts> => {
    const { total } = await reader.overview(toQuery({ ...request, site }, period), []);
    const { visitors, sessions, pageviews } = total;
    return { visitors, sessions, ...toConsentShare(pageviews, request.filters) };
  };
  const rows: SiteRow[] = [];
  for (let start = 0; start < compared.length; start += SITES_AT_ONCE) {
    rows.push(
      ...await Promise.all(
        compared.slice(start, start + SITES_AT_ONCE).map(async (site) => {
          const [counts, countsBefore] = await Promise.all([readSite(site, current), readSite(site, before)]);
          return { site, ...counts, before: countsBefore };
        }),
      ),
    );
  }
  const { site: _, ...scope } = await readScope(source, request);
  return {
    view: "sites",
    ...scope,
    compare: request.compare,
    rows: rows.toSorted((one, other) => countViews(other.pageviews) - countViews(one.pageviews)),
    count: sites.length,
  };
}
