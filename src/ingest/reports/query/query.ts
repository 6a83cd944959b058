/**
 * Query of a report, read from its URL, and the problems of one that can't be answered.
 *
 * @module
 */
import { isLoopback } from "../../keys/flag_events.ts";
import { addDays, countDays, isDay } from "./days.ts";

/** The forms of a report. */
const FORMATS = ["html", "json", "csv"] as const;

/** Form of a report. */
export type Format = typeof FORMATS[number];

/** The current day. */
export interface Today {
  /** The day, `2026-01-31`. */
  readonly day: string;
  /** Zone of it. */
  readonly zone: string;
}

/** First and last day of a report. */
export interface Range {
  /** First day, `2026-01-01`. */
  readonly from: string;
  /** Last day, included. */
  readonly to: string;
}

/** Machine-readable reason, the `error.code` of an answer in JSON. */
export type ProblemCode =
  | "unauthorized"
  | "people_refused"
  | "rate_limited"
  | "method_not_allowed"
  | "bad_range"
  | "bad_format"
  | "bad_view"
  | "bad_zone"
  | "bad_compare"
  | "bad_traffic"
  | "bad_filter"
  | "bad_by"
  | "bad_dimension"
  | "bad_sort"
  | "bad_direction"
  | "bad_offset"
  | "bad_of"
  | "bad_key"
  | "bad_funnel"
  | "bad_goal"
  | "bad_unit"
  | "bad_event"
  | "bad_person"
  | "bad_limit"
  | "bad_argument"
  | "origin_refused"
  | "link_refused"
  | "unsupported_media_type"
  | "body_too_large"
  | "unknown_site"
  | "unavailable";

/** A request for a report that isn't answered with one. */
export interface Problem {
  /** HTTP status. */
  readonly status: 400 | 401 | 403 | 404 | 405 | 413 | 415 | 429 | 503;
  /** Machine-readable reason. */
  readonly code: ProblemCode;
  /** One sentence for the person who asked. */
  readonly message: string;
  /** Whole seconds after which to try again; present with 429 and 503. */
  readonly retryAfterS?: number;
}

/** Most days of a report: from a day to the same one ten years later, over three leap days. */
export const MAX_RANGE_DAYS = 3654;

/** Days of a report that names none, up to today. */
const DEFAULT_RANGE_DAYS = 30;

/** Reads the format; `html` unless `format` says otherwise. */
export function readFormat(parameters: URLSearchParams): Format | Problem {
  return readOneOf(parameters, "format", FORMATS) ??
    { status: 400, code: "bad_format", message: `format must be one of ${FORMATS.join(", ")}` };
}

/** Reads how many rows a list has; as many as there may be, unless `limit` says otherwise. */
export function readLimit(parameters: URLSearchParams, most: number): number | Problem {
  const text = parameters.get("limit") || `${most}`;
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= most) return limit;
  return { status: 400, code: "bad_limit", message: `limit must be a whole number from 1 to ${most}` };
}

/** Reads the days; the last 30, or those up to `to`, where `from` is missing. An empty parameter counts as missing. */
export function readRange(parameters: URLSearchParams, today: Today): Range | Problem {
  const to = parameters.get("to") || today.day;
  if (!isDay(to)) return buildBadRange("to must be a day that exists, written as 2026-01-31");
  const from = parameters.get("from") || addDays(to, 1 - DEFAULT_RANGE_DAYS);
  if (!isDay(from)) return buildBadRange("from must be a day that exists, written as 2026-01-31");
  if (from > to) {
    const last = parameters.get("to") ? "to" : `today (${today.zone})`;
    return buildBadRange(`from must not be after ${last}`);
  }
  const days = countDays(from, to);
  if (days > MAX_RANGE_DAYS) return buildBadRange(`a report spans at most ${MAX_RANGE_DAYS} days, not ${days}`);
  return { from, to };
}

/** Stands in a query for the events that are of no site, whose site is empty. */
export const NO_SITE = "none";

/** The sites that {@linkcode readSite} chooses from. */
interface ReadSiteOptions {
  readonly sites: readonly string[];
  /** Whether there may be other sites. */
  readonly isAny: boolean;
  /** The site where none is named. */
  readonly usual: string | undefined;
}

/** Reads the site: the usual one where none is named, any where the key has no sites of its own. */
export function readSite(
  parameters: URLSearchParams,
  { sites, isAny, usual }: ReadSiteOptions,
): string | Problem {
  if (parameters.get("site") === NO_SITE) return "";
  const named = parameters.get("site");
  const site = named ? findNamedSite(named, sites) ?? named : usual;
  // The list has the largest sites alone: sites that are made up hide none.
  if (site !== undefined && (isAny || sites.includes(site))) return site;
  const known = sites.length === 0 ? "it has none yet" : `its sites are ${sites.join(", ")}`;
  return { status: 404, code: "unknown_site", message: `this site isn't registered for the key; ${known}` };
}

/** Finds the site that a text means: as an origin, without its scheme, with a path behind it, with `www.` or without. */
export function findNamedSite(text: string, sites: readonly string[]): string | undefined {
  if (sites.includes(text)) return text;
  const urls = text.includes("://") ? [text] : [`https://${text}`, `http://${text}`];
  const origins = urls.filter((url) => URL.canParse(url)).map((url) => new URL(url).origin);
  const others = origins.map((origin) =>
    origin.includes("://www.") ? origin.replace("://www.", "://") : origin.replace("://", "://www.")
  );
  return [...origins, ...others].find((origin) => sites.includes(origin));
}

/**
 * Finds the site that is meant where none is named: of the key's, the one with the most events. One of this machine is meant only
 * where no other has one.
 *
 * @param findLargest Finds the sites that have events, those with the most first. Asked only where there is a choice.
 */
export async function findUsualSite(
  sites: readonly string[],
  findLargest: () => readonly string[] | Promise<readonly string[]>,
): Promise<string | undefined> {
  if (sites.length < 2) return sites[0];
  const largest = (await findLargest()).filter((site) => sites.includes(site));
  const isPublished = (site: string): boolean => !isLoopback(site);
  return largest.find(isPublished) ?? largest[0] ?? sites.find(isPublished) ?? sites[0];
}

/** Returns whether something read is a problem. */
export function isProblem(value: unknown): value is Problem {
  return typeof value === "object" && value !== null && "code" in value;
}

/** Reads one of several words: the first of them where the parameter is missing or empty, undefined for another. */
export function readOneOf<T extends string>(
  parameters: URLSearchParams,
  name: string,
  allowed: readonly T[],
): T | undefined {
  const value = parameters.get(name) || allowed[0];
  return allowed.find((one) => one === value);
}

/** Returns the JSON text of a value that isn't nested, written in one way; undefined for other texts. */
export function toScalarJson(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? undefined : JSON.stringify(value);
  } catch {
    return undefined;
  }
}

function buildBadRange(message: string): Problem {
  return { status: 400, code: "bad_range", message };
}
