/**
 * Figures, names and times as people read them.
 *
 * @module
 */
import { replaceControls } from "../../events/foreign_text.ts";
import type { FlaggedCounts } from "../../ports/reader.ts";
import type { Traffic } from "../../ports/report_query.ts";
import { countDays } from "../query/days.ts";
import { countShift } from "../query/periods.ts";
import { FEW_TEXT, isFew, toCount } from "../query/few.ts";

/** Between which digits of a whole number a comma stands. */
const THOUSANDS = /\B(?=(?:\d{3})+$)/g;

/** Writes a number with thousands apart, `12,345`; `fewer than 5` where a link to share doesn't tell it. */
export function formatCount(count: number): string {
  const told = toCount(count);
  return isFew(told) ? FEW_TEXT : String(told).replace(THOUSANDS, ",");
}

/** Writes a word with a capital. */
export function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Writes a number with its noun: `1 session`, `2 sessions`. */
export function formatCountOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** The sentence on what the figures of people leave out. */
export const LEFT_OUT: Readonly<Record<Exclude<Traffic, "people">, string>> = { bots: "bots", own: "own visits" };

/** Lists what is left out of the figures of people, `bots: 12 views`; nothing of what there is none of. */
export function listLeftOut(
  flagged: FlaggedCounts,
): readonly { readonly traffic: keyof FlaggedCounts; readonly label: string }[] {
  return (["bots", "own"] as const).flatMap((traffic) => {
    const { full, aggregate } = flagged[traffic];
    const views = full + aggregate;
    return views === 0 ? [] : [{ traffic, label: `${LEFT_OUT[traffic]}: ${formatCountOf(views, "view")}` }];
  });
}

/** Writes a share in percent: `42%`, `<1%` for what isn't quite nothing, `>99%` for not quite all. Of nothing, all is used. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return "100%";
  if (part === 0) return "0%";
  const percent = Math.round(part / whole * 100);
  if (percent === 0) return "<1%";
  if (percent === 100 && part !== whole) return part < whole ? ">99%" : ">100%";
  return `${formatCount(percent)}%`;
}

/** Writes a ratio in percent; a dash for none. */
export function formatRatio(ratio: number | null): string {
  return ratio === null ? "–" : formatShare(ratio, 1);
}

/** Writes a ratio in percent, below 10% with a decimal: `4.5%`, `<0.1%`; a dash for none. */
export function formatFineRatio(ratio: number | null): string {
  const percent = ((ratio ?? 0) * 100).toFixed(1);
  if (ratio === null || ratio === 0 || Number(percent) >= 10) return formatRatio(ratio);
  return percent === "0.0" ? "<0.1%" : `${percent}%`;
}

/** Writes a number of at most two decimals: `1.8`; a dash for none. */
export function formatNumber(value: number | null): string {
  if (value === null) return "–";
  if (Math.abs(value) >= 1e15) return String(value);
  const rounded = Math.round(value * 100) / 100;
  const [whole = "", decimals] = String(rounded).split(".");
  return `${whole.replace(THOUSANDS, ",")}${decimals === undefined ? "" : `.${decimals}`}`;
}

/** Names the time that stands beside the days: `before`, `2 weeks before`, `a year ago`. */
export function nameThen(query: Parameters<typeof countShift>[0]): string {
  if (query.compare === "year") return "a year ago";
  if (query.compare === "month") return "a month before";
  if (query.compare === "before") return "before";
  const weeks = countShift(query) / 7;
  return weeks === 1 ? "a week before" : `${weeks} weeks before`;
}

/** Names the days that stand beside others: `the 30 days before`, `the same weekdays a year ago`. */
export function nameBeside(query: Parameters<typeof countShift>[0]): string {
  const { from, to, compare } = query;
  const days = countDays(from, to);
  if (compare === "before") return days === 1 ? "the day before" : `the ${days} days before`;
  const what = compare === "month" ? "day" : "weekday";
  return `the same ${what}${days === 1 ? "" : "s"} ${nameThen(query)}`;
}

/**
 * Creates the format of a column of sums, most often of money: `7,049.20`, whole ones too where another has decimals; a dash
 * for none.
 */
export function createAmountFormat(values: readonly (number | null)[]): (value: number | null) => string {
  const hasDecimals = values.some((value) => /\.\d+$/.test(formatNumber(value)));
  return (value) => {
    const text = formatNumber(value);
    return hasDecimals ? text.replace(/^-?[\d,]+$/, "$&.0").replace(/\.\d$/, "$&0") : text;
  };
}

/** Writes a figure of the period before: `none before` where there is none. */
export function formatBefore(figure: string, then: string): string {
  return `${figure === "–" ? "none" : figure} ${then}`;
}

/** Writes a time that passed: `45 s`, `3 min 20 s`, `1 h 5 min`; a dash for none. No line breaks between a number and its unit. */
export function formatDuration(ms: number | null): string {
  if (ms === null) return "–";
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}\u00a0s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}\u00a0min ${seconds % 60}\u00a0s`;
  return `${formatCount(Math.floor(seconds / 3600))}\u00a0h ${Math.floor(seconds % 3600 / 60)}\u00a0min`;
}

/**
 * Writes how a count differs from an earlier one: `+12%`, `-3%`, `+<1%`, `the same`. Empty where one of them is below 30: a few
 * visitors more or less would look like a change.
 */
export function formatChange(count: number, before: number): string {
  if (Math.min(count, before) < 30) return "";
  if (count === before) return "the same";
  const percent = Math.round(Math.abs(count - before) / before * 100);
  if (percent === 0) return count > before ? "+<1%" : "-<1%";
  // Something is left, so that not all is gone.
  return count > before ? `+${formatCount(percent)}%` : `-${Math.min(percent, 99)}%`;
}

/** Writes an origin without `https://`, which says nothing. */
export function formatOrigin(origin: string): string {
  return formatLabel(origin.replace(/^https:\/\//, ""));
}

/** Writes a site; the empty one has the events that are of none. */
export function formatSite(site: string): string {
  return site === "" ? "Without a site" : formatOrigin(site);
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
