/**
 * The port between the reports and whatever stores the events: the reading side of a sink.
 *
 * @module
 */
import type { PageviewRow, Report } from "./report.ts";

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
  /** Returns the days of one path: pageviews only, no sessions. */
  readPath(scope: ReportScope, path: string): Promise<readonly PageviewRow[]>;
  /** Returns how many pageviews of a key, of any site, arrived in a month in UTC, `2026-01`. */
  countPageviews(apiKey: string, month: string): Promise<number>;
  /** Returns every page viewed on one day of the range, by path. */
  readDay(scope: Pick<ReportScope, "apiKey" | "site">, day: string): Promise<readonly PageviewRow[]>;
}
