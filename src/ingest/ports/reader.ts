/**
 * The port between the reports and whatever stores the events, the reading side of a sink, and what a report consists of:
 * its JSON form is these shapes as they are.
 *
 * @module
 */
import type { ViolationKind } from "../../plan/plan_check.ts";

/** The site and the days of a report. */
export interface ReportScope {
  /** Publishable key that the events were sent with. */
  readonly apiKey: string;
  /** Origin of the pages, `https://shop.example`. */
  readonly site: string;
  /** First UTC day, `2026-01-01`. */
  readonly from: string;
  /** Last UTC day, included. */
  readonly to: string;
  /** Other origins of the key, which are no referrers of its sites, as the site itself is none; none by default. */
  readonly ownOrigins?: readonly string[];
}

/** Narrows what a reader returns. */
export interface ReportLimits {
  /** Most rows of each list but the days. At least 1. */
  readonly rows: number;
}

/** Most sites that a reader lists: where any origin may send, a sender may make up any number of them. */
export const MAX_SITES = 1000;

/** Reads what was stored. A day is the UTC day of an event's `timestamp`. */
export interface ReportReader {
  /** Returns the origins that a key has events of, those with the most events first, at most 1000. */
  sites(apiKey: string): Promise<readonly string[]>;
  /** Returns the report of a site. A site without events has an empty one. */
  read(scope: ReportScope, limits: ReportLimits): Promise<Report>;
  /** Returns what breaks the plan, the most frequent first, at most as many as asked for. */
  violations(scope: ReportScope, limits: ReportLimits): Promise<readonly ViolationRow[]>;
  /** Returns the days of one path: pageviews only, no sessions. */
  readPath(scope: ReportScope, path: string): Promise<readonly PageviewRow[]>;
  /** Returns how many pageviews of a key, of any site, arrived in a month in UTC, `2026-01`. */
  countPageviews(apiKey: string, month: string): Promise<number>;
  /** Returns the UTC day of a site's newest event; undefined for a site without events. */
  lastDay(scope: Pick<ReportScope, "apiKey" | "site">): Promise<string | undefined>;
  /** Returns every page viewed on one day of the range, by path. */
  readDay(scope: Pick<ReportScope, "apiKey" | "site">, day: string): Promise<readonly PageviewRow[]>;
}

/** Pageviews, apart and together. */
export interface PageviewCounts {
  /** Full pageviews: recorded with consent (SPEC 3). */
  readonly full: number;
  /** Aggregate pageviews: recorded before consent, without visitor or session (SPEC 2.8). */
  readonly aggregate: number;
  /** Both. */
  readonly total: number;
}

/** One day. */
export interface DayRow extends PageviewCounts {
  /** UTC day, `2026-01-31`. */
  readonly day: string;
  /** Distinct session ids of the day's full events. One that spans midnight is in both days. */
  readonly sessions: number;
}

/** One page of the site. */
export interface PathRow extends PageviewCounts {
  /** Path without query and fragment, percent-encoded as in the URL. */
  readonly path: string;
}

/** One page on one day. */
export interface PageviewRow extends PathRow {
  /** UTC day, `2026-01-31`. */
  readonly day: string;
}

/** Where pageviews came from. */
export interface ReferrerRow extends PageviewCounts {
  /** Origin of the referring page; null for pageviews that named none. */
  readonly referrer: string | null;
}

/** Events of one name. */
export interface EventRow {
  /** Event name; `$pageview` for pageviews of either form. */
  readonly name: string;
  /** How many were stored. */
  readonly count: number;
}

/** Events that break the plan of the ingest that stored them, in one way. */
export interface ViolationRow {
  /** Event name, as it was sent. */
  readonly name: string;
  /** How they break the plan. */
  readonly kind: ViolationKind;
  /** How many were stored. */
  readonly count: number;
}

/** How much of a plan's pageview allowance is used (SPEC 1). */
export interface AllowanceUse {
  /** The month in UTC, by the time of arrival: `2026-11`. It's the current one, whatever the range of the report. */
  readonly month: string;
  /** Pageviews that count: full and aggregate, of all sites of the key. */
  readonly used: number;
  /** Pageviews that the plan allows; null where there is no limit. */
  readonly limit: number | null;
}

/** Sums over the whole range. */
export interface ReportTotals {
  /** Pageviews. */
  readonly pageviews: PageviewCounts;
  /** Distinct visitors: anonymous ids of full events. One who calls `reset()` is two. */
  readonly visitors: number;
  /** Distinct user ids of full events. */
  readonly users: number;
  /** Distinct session ids of full events. */
  readonly sessions: number;
  /** Events of any name, pageviews among them. */
  readonly events: number;
  /** Distinct paths. */
  readonly paths: number;
  /** Distinct referrers, "none named" among them. */
  readonly referrers: number;
  /** Distinct event names. */
  readonly names: number;
  /** Distinct violations of the plan: a name and a kind. */
  readonly violations: number;
}

/** What the store knows of a site in a range of days. */
export interface Report {
  /** Sums over the whole range. */
  readonly totals: ReportTotals;
  /** Every day that has a pageview or a session, in order. */
  readonly days: readonly DayRow[];
  /** Pages, the most viewed first, at most as many as asked for. */
  readonly paths: readonly PathRow[];
  /** Referrers other than the site itself and the key's other origins, the most frequent first, at most as many as asked for. */
  readonly referrers: readonly ReferrerRow[];
  /** Event names, the most frequent first, at most as many as asked for. */
  readonly events: readonly EventRow[];
  /** What breaks the plan, the most frequent first, at most as many as asked for. */
  readonly violations: readonly ViolationRow[];
}

/** Reads what a violation is counted under: its kind, a space, the name. */
export function parseViolation(label: string): Pick<ViolationRow, "name" | "kind"> {
  const end = label.indexOf(" ");
  return { name: label.slice(end + 1), kind: label.slice(0, end) as ViolationKind };
}

/** Adds pageviews up. */
export function sumCounts(rows: readonly Pick<PageviewCounts, "full" | "aggregate">[]): PageviewCounts {
  const full = rows.reduce((sum, row) => sum + row.full, 0);
  const aggregate = rows.reduce((sum, row) => sum + row.aggregate, 0);
  return { full, aggregate, total: full + aggregate };
}
