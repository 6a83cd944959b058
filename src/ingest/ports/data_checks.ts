import { MIN_KEEP_DAYS } from "../events/erasures.ts";
import type { DataSubject, EventRange, PruneOptions } from "./data_store.ts";

const MS_PER_DAY = 24 * 60 * 60 * 1000;

/**
 * Makes sure of the person who is meant.
 *
 * @throws {TypeError} For an id that is missing, as plain JavaScript can have it: nothing would be found, and nobody erased.
 */
export function checkSubject(subject: DataSubject): void {
  // An application may sign a user in whose id is an empty text; a visitor's id never is one.
  const isNamed = "userId" in subject ? typeof subject.userId === "string" : Boolean(subject.anonymousId);
  if (!subject.apiKey || !isNamed) throw new TypeError("name an apiKey, and a userId or an anonymousId");
}

/**
 * Makes sure that a range has times.
 *
 * @throws {TypeError} For a time that is none, which every event would be before or behind.
 */
export function checkRange({ from, to }: EventRange): void {
  for (const [name, time] of Object.entries({ from, to })) {
    if (time !== undefined && Number.isNaN(Date.parse(time))) throw new TypeError(`${name} must be an ISO 8601 time`);
  }
}

/**
 * Makes sure that nothing is deleted too early.
 *
 * @throws {TypeError} For an age of fewer than 8 days.
 */
export function checkDays({ keepDays, keepErasuresDays }: PruneOptions): void {
  for (const [name, days] of Object.entries({ keepDays, keepErasuresDays })) {
    if (days === undefined || days >= MIN_KEEP_DAYS) continue;
    throw new TypeError(`${name} must be at least ${MIN_KEEP_DAYS}: the SDK repeats a batch for 7 days`);
  }
}

/**
 * Builds the error of a store whose events would all go by age: more likely than that nobody came for so long is a clock
 * that is wrong, and what it deletes is gone.
 */
export function buildAgeError(days: number): Error {
  return new Error(
    `nothing is deleted by age: no event is younger than ${days} days by the clock of this machine, ` +
      `which says ${new Date().toISOString()}`,
  );
}

/** Returns the time of so many days ago. */
export function toTimeBefore(days: number): string {
  return new Date(Date.now() - days * MS_PER_DAY).toISOString();
}
