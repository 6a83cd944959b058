/**
 * Days of a time zone as moments: a day begins when its clocks first show it, so that one with a change of the clocks has
 * 23 hours, 25, or 23 and a half.
 *
 * @module
 */
import { toDay } from "./days.ts";

/** A time zone of the IANA database. */
export interface Zone {
  /** Name, `Europe/Berlin`. */
  readonly name: string;
  /**
   * Returns the first moment when clocks show a time or a later one, in milliseconds since the Unix epoch. Times on clocks
   * are milliseconds as well: those of the same date and time in UTC.
   */
  toMoment(clockMs: number): number;
  /** Returns what clocks show at a moment. */
  toClock(momentMs: number): number;
}

const MINUTE_MS = 60_000;

const HOUR_MS = 60 * MINUTE_MS;

/** Clocks differ from UTC by less. */
const MAX_OFFSET_MS = 26 * HOUR_MS;

const NAME = /^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/;

/** The zone without changes of clocks. */
export const UTC: Zone = { name: "UTC", toMoment: (clockMs) => clockMs, toClock: (momentMs) => momentMs };

/** Creates a zone; undefined for a name that this runtime doesn't know. */
export function createZone(name: string): Zone | undefined {
  if (name === UTC.name) return UTC;
  if (!NAME.test(name)) return undefined;
  try {
    return createOther(name);
  } catch {
    return undefined; // RangeError: no such time zone
  }
}

function createOther(name: string): Zone {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: name,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });

  function toClock(momentMs: number): number {
    // Clocks before 1970 differed by place, and years before 1 are written by era.
    return momentMs + findOffset(Math.max(momentMs, 0));
  }

  function findOffset(momentMs: number): number {
    const wholeMs = Math.floor(momentMs / 1000) * 1000;
    const parts = new Map(format.formatToParts(wholeMs).map(({ type, value }) => [type, Number(value)]));
    const read = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    const clock = Date.UTC(
      read("year"),
      read("month") - 1,
      read("day"),
      read("hour"),
      read("minute"),
      read("second"),
    );
    return clock - wholeMs;
  }

  function toMoment(clockMs: number): number {
    const offsets = [clockMs - MAX_OFFSET_MS, clockMs + MAX_OFFSET_MS].map((momentMs) => toClock(momentMs) - momentMs);
    const moments = offsets.map((offset) => clockMs - offset).sort((one, other) => one - other);
    return moments.find((momentMs) => toClock(momentMs) === clockMs) ?? findChange(clockMs);
  }

  /** Finds the change of clocks that leaves a time out. */
  function findChange(clockMs: number): number {
    let [low, high] = [clockMs - MAX_OFFSET_MS, clockMs + MAX_OFFSET_MS];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (toClock(middle) < clockMs) low = middle;
      else high = middle;
    }
    return high;
  }

  return { name, toMoment, toClock };
}

/** Returns the day that clocks of a zone show, `2026-01-31`. */
export function toZoneDay(zone: Zone, momentMs: number): string {
  return toDay(zone.toClock(momentMs));
}

/** Returns when a day begins in a zone. */
export function startOfDay(zone: Zone, day: string): number {
  return zone.toMoment(Date.parse(day));
}

/** Lists when the hours of clocks begin, from a moment to another. */
export function listHours(zone: Zone, fromMs: number, toMs: number): readonly number[] {
  const hours: number[] = [];
  for (let momentMs = fromMs; momentMs < toMs;) {
    hours.push(momentMs);
    const clockMs = zone.toClock(momentMs);
    momentMs += HOUR_MS - ((clockMs % HOUR_MS) + HOUR_MS) % HOUR_MS;
  }
  return hours;
}

/** Writes what clocks of a zone show, `14:30`. */
export function formatClock(zone: Zone, momentMs: number): string {
  return new Date(zone.toClock(momentMs)).toISOString().slice("2026-01-31T".length, "2026-01-31T14:30".length);
}

/** Writes what clocks of a zone show, to the second: `14:30:05`. */
export function formatTime(zone: Zone, momentMs: number): string {
  return new Date(zone.toClock(momentMs)).toISOString().slice("2026-01-31T".length, "2026-01-31T14:30:05".length);
}
