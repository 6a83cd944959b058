/**
 * What the page shows, and how it writes it.
 *
 * @module
 */
import type { Format, Range, Table } from "./query.ts";
import { replaceControls } from "../events/foreign_text.ts";
import type { AllowanceUse, DayRow, Report, ReportTotals } from "../ports/reader.ts";

/** Everything that is on the page. */
export interface View extends Range {
  /** Origin of the site. */
  readonly site: string;
  /** Sites to choose from. */
  readonly sites: readonly string[];
  /** Current UTC day. */
  readonly today: string;
  /** Publishable key of the site. */
  readonly apiKey: string;
  /** Counts of the site. */
  readonly report: Report;
  /** Sums over as many days before the range. */
  readonly before: ReportTotals;
  /** Day of the site's newest event; absent for a site without events. */
  readonly lastDay?: string;
  /** Every day of the range; of one page only where `path` is set. */
  readonly days: readonly DayRow[];
  /** Path of the one page whose days are shown. */
  readonly path?: string;
  /** Use of the key's allowance. */
  readonly allowance: AllowanceUse;
}

/** What a link changes. */
export interface LinkChanges extends Partial<Range> {
  /** Format; the page by default. */
  readonly format?: Format;
  /** Table of a CSV file. */
  readonly table?: Table;
  /** Path of a page; none by default. */
  readonly path?: string;
}

/** Builds a link to another view of the same site. It is relative, wherever the reports are mounted. */
export function buildLink({ site, from, to }: Pick<View, "site" | "from" | "to">, changes: LinkChanges = {}): string {
  return `?${new URLSearchParams({ site, from, to, ...changes })}`;
}

/** Writes a number with thousands apart: `12,345`. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Writes a number with its noun: `1 session`, `2 sessions`. */
export function formatCountOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Writes a share in percent: `42%`, `<1%` for what isn't quite nothing. Of nothing, all is used. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return "100%";
  if (part === 0) return "0%";
  const percent = Math.round(part / whole * 100);
  return percent === 0 ? "<1%" : `${formatCount(percent)}%`;
}

/**
 * Writes how a count differs from an earlier one: `+12%`, `-3%`, `the same`. Empty where one of them is below 30: a few
 * visitors more or less would look like a change.
 */
export function formatChange(count: number, before: number): string {
  if (Math.min(count, before) < 30) return "";
  const percent = Math.round((count / before - 1) * 100);
  return percent === 0 ? "the same" : `${percent > 0 ? "+" : "-"}${formatCount(Math.abs(percent))}%`;
}

/** Writes an origin without `https://`, which says nothing. */
export function formatOrigin(origin: string): string {
  return formatLabel(origin.replace(/^https:\/\//, ""));
}

/** Writes a percent-encoded path for people: `/café`. What isn't encoded UTF-8 stays as it is. */
export function formatPath(path: string): string {
  try {
    return replaceControls(decodeURI(path));
  } catch {
    // Half a character, or no encoding at all.
    return path;
  }
}

/** Writes a label for people; one without visible characters says so. */
export function formatLabel(label: string): string {
  const text = replaceControls(label);
  return /[^\p{White_Space}\p{Cf}\u2800\u3164]/u.test(text) ? text : "(blank)";
}
