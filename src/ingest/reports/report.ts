/**
 * What a report consists of. Its JSON form is these shapes as they are.
 *
 * @module
 */

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
}

/** What the store knows of a site in a range of days. */
export interface Report {
  /** Sums over the whole range. */
  readonly totals: ReportTotals;
  /** Every day that has a pageview or a session, in order. */
  readonly days: readonly DayRow[];
  /** Pages, the most viewed first, at most as many as asked for. */
  readonly paths: readonly PathRow[];
  /** Referrers other than the site itself, the most frequent first, at most as many as asked for. */
  readonly referrers: readonly ReferrerRow[];
  /** Event names, the most frequent first, at most as many as asked for. */
  readonly events: readonly EventRow[];
}
