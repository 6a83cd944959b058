/**
 * Notes of what changed on a day, which stand in the charts.
 *
 * @module
 */
import { findOriginProblem } from "../../keys/find_origin_problem.ts";
import { addDays, isDay } from "./days.ts";
import { MAX_RANGE_DAYS, type Range } from "./query.ts";

/** A note of what changed on a day. */
export interface Note {
  /** The day, `2026-01-31`, in whichever zone a report is. */
  readonly day: string;
  /** Its text: up to 200 characters in one line. */
  readonly text: string;
  /**
   * Origin of the site that it is about.
   *
   * @default {all sites of the key}
   */
  readonly site?: string;
}

/** Most notes of a key. */
const MAX_NOTES = 1000;

/** How many days before a report a note is still of interest to it. */
const EARLIER_DAYS = 90;

/** Longest text, in UTF-16 units. */
const MAX_TEXT_UNITS = 200;

/** Returns what is wrong with notes; the text continues the name of their field. Repeats nothing of them. */
export function findNoteProblem(notes: readonly Note[]): string | undefined {
  if (notes.length > MAX_NOTES) return ` must be at most ${MAX_NOTES}`;
  for (const [index, { day, text, site }] of notes.entries()) {
    const problem = (isDay(day) ? undefined : ".day must be a day that exists, written as 2026-01-31") ??
      (isText(text) ? undefined : `.text must be 1 to ${MAX_TEXT_UNITS} characters in one line`) ??
      (site === undefined || findOriginProblem(site) === undefined ? undefined : ".site must be an origin");
    if (problem !== undefined) return `[${index}]${problem}`;
  }
}

function isText(text: string): boolean {
  return text.trim() !== "" && text.length <= MAX_TEXT_UNITS && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);
}

/** A site and its days. */
interface SiteDays extends Range {
  readonly site: string;
}

/** Picks the notes of a site and of days, the first day first. */
export function pickNotes(notes: readonly Note[], { site, from, to }: SiteDays): readonly Note[] {
  return sortNotes(notes.filter((note) => (note.site ?? site) === site && note.day >= from && note.day <= to));
}

/** Finds the newest note of a site before the days, unless a report from its day to their last one would be too long. */
export function findEarlierNote(notes: readonly Note[], { site, from, to }: SiteDays): Note | undefined {
  const ofInterest = addDays(from, -EARLIER_DAYS);
  const reachable = addDays(to, 1 - MAX_RANGE_DAYS);
  const first = ofInterest > reachable ? ofInterest : reachable;
  return pickNotes(notes, { site, from: first, to: addDays(from, -1) }).at(-1);
}

/** Finds the part that has a day, by when the parts begin. */
export function findPart(parts: readonly { readonly from: string }[], day: string): number {
  const days = parts.map(({ from }) => from.slice(0, "2026-01-31".length));
  // A day of hours begins with the first of them; a week has the days until the next.
  return days.includes(day) ? days.indexOf(day) : days.findLastIndex((one) => one < day);
}

/** Puts notes in the order of their days. */
export function sortNotes(notes: readonly Note[]): readonly Note[] {
  return notes.toSorted((one, other) => one.day < other.day ? -1 : Number(one.day > other.day));
}
