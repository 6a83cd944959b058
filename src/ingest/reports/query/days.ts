/**
 * Arithmetic with UTC days, written as `2026-01-31`: they sort as text.
 *
 * @module
 */

// By hand: a formatter of Intl costs more than all the rest of a page with a year of days.
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;

const DAY_MS = 86_400_000;

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Returns whether the text is a day that exists. */
export function isDay(text: string): boolean {
  if (!DAY.test(text)) return false;
  const timeMs = Date.parse(`${text}T00:00:00Z`);
  // Engines roll the 30th of February over to March instead of refusing it.
  return !Number.isNaN(timeMs) && toDay(timeMs) === text;
}

/** Returns the UTC day of a time in milliseconds since the Unix epoch. */
export function toDay(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, "2026-01-31".length);
}

/** Returns the day that many days later, earlier if negative; the last day of year 9999 or the first of 0 at most. */
export function addDays(day: string, days: number): string {
  const timeMs = Date.parse(day) + days * DAY_MS;
  return toDay(Math.min(Math.max(timeMs, Date.parse("0000-01-01")), Date.parse("9999-12-31")));
}

/** Counts the days of the month that a day is in. */
export function countDaysOfMonth(day: string): number {
  const [year = 0, month = 0] = day.split("-").map(Number);
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** Returns the same day of the month before or after, or the last one of a month that hasn't it. */
export function addMonth(day: string, by: -1 | 1): string {
  const firstOfMonth = `${day.slice(0, "2026-01".length)}-01`;
  const inMonth = addDays(firstOfMonth, by < 0 ? -1 : 31);
  const dayOfMonth = Math.min(Number(day.slice("2026-01-".length)), countDaysOfMonth(inMonth));
  return `${inMonth.slice(0, "2026-01".length)}-${String(dayOfMonth).padStart(2, "0")}`;
}

/** Counts the days from one to another, both included. */
export function countDays(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
}

/** Lists the days from one to another, both included. */
export function listDays(from: string, to: string): readonly string[] {
  return Array.from({ length: countDays(from, to) }, (_, index) => addDays(from, index));
}

/** Writes a day for people: `31 Jan 2026`. */
export function formatDay(day: string): string {
  return `${formatShortDay(day)} ${day.slice(0, 4)}`;
}

/** Writes a day with its weekday: `Sat 31 Jan 2026`. */
export function formatWeekday(day: string): string {
  return `${WEEKDAYS[new Date(day).getUTCDay()]} ${formatDay(day)}`;
}

/** The days that weeks begin on somewhere. The first is the one of ISO 8601. */
export const WEEK_STARTS = ["monday", "sunday", "saturday"] as const;

/** One of {@linkcode WEEK_STARTS}. */
export type WeekStart = typeof WEEK_STARTS[number];

/** Days to add to a day of the week, 0 for Sunday, to get its place in the week. */
const SHIFTS: Readonly<Record<WeekStart, number>> = { monday: 6, sunday: 0, saturday: 1 };

/** Returns whether a week begins on a day. */
export function isWeekStart(day: string, weekStart?: WeekStart): boolean {
  return countDaysOfWeek(day, weekStart) === 0;
}

/** Counts the days of a week before a day: 0 to 6. Weeks begin on Monday unless another day is named. */
export function countDaysOfWeek(day: string, weekStart: WeekStart = WEEK_STARTS[0]): number {
  return (new Date(day).getUTCDay() + SHIFTS[weekStart]) % 7;
}

/** Writes a day without its year: `31 Jan`. */
export function formatShortDay(day: string): string {
  return `${Number(day.slice(8))} ${formatMonth(day)}`;
}

/** Writes the month of a day: `Jan`. */
export function formatMonth(day: string): string {
  return MONTHS[Number(day.slice(5, 7)) - 1] ?? "";
}

/** Writes a range of days: `1 Jan 2026 – 31 Jan 2026`, or a single day. */
export function formatRange(from: string, to: string): string {
  return from === to ? formatDay(from) : `${formatDay(from)} – ${formatDay(to)}`;
}
