import { hashText } from "../../../../src/ingest/events/hash_text.ts";
import type { Listed, ViewCounts } from "../../../../src/ingest/ports/report_counts.ts";
import type { ListChoice } from "../../../../src/ingest/ports/report_query.ts";
import type { ReadEvent } from "./read_event.ts";

export function inOrder<T extends Pick<ReadEvent, "time" | "place" | "id">>(events: readonly T[]): T[] {
  return events.toSorted((one, other) =>
    one.time - other.time || one.place - other.place || (hashText(one.id) < hashText(other.id) ? -1 : 1)
  );
}

export function isWithin(time: number, from: number, to: number): boolean {
  return time >= from && time < to;
}

/** Returns the percentile by nearest rank; undefined of no numbers. */
export function rank(numbers: readonly number[], percent: number): number | undefined {
  return numbers.toSorted((one, other) => one - other)[Math.ceil(numbers.length * percent / 100) - 1];
}

export function countViews(events: readonly ReadEvent[]): ViewCounts {
  return {
    full: events.filter(({ kind }) => kind === "pageview").length,
    aggregate: events.filter(({ kind }) => kind === "aggregate").length,
  };
}

export function countDistinct(ids: readonly string[]): number {
  return new Set(ids.filter((id) => id !== "")).size;
}

export function sum({ full, aggregate }: ViewCounts): number {
  return full + aggregate;
}

export function list<T extends object>(
  all: readonly T[],
  rows: number,
  compare: (one: T, other: T) => number,
  { choice = {}, read, textOf, compareNames }: Choosing<T> = {},
): Listed<T> {
  const { sort, isAscending = false, contains, names, skip = 0 } = choice;
  const direction = isAscending ? 1 : -1;
  const nameOf = (row: T): string => String(read?.(row).name ?? "");
  const chosen = all.filter((row) =>
    (names === undefined || names.includes(nameOf(row))) &&
    (contains === undefined || encodingsOf(contains).some((text) => includesText((textOf ?? nameOf)(row), text)))
  ).toSorted(compare);
  if (sort !== undefined) {
    chosen.sort((one, other) =>
      sort === "name" && compareNames !== undefined
        ? direction * compareNames(one, other)
        : compareColumn(read?.(one)[sort], read?.(other)[sort], direction)
    );
  }
  const isListed = (index: number): boolean => index >= skip && index < skip + rows;
  return {
    rows: chosen.filter((_, index) => isListed(index)),
    count: chosen.length,
    other: sumAll(chosen.filter((_, index) => !isListed(index))),
  };
}

/** What of a list is chosen, and the columns of a row, its name among them. */
export interface Choosing<T> {
  readonly choice?: ListChoice | undefined;
  readonly read?: (row: T) => Readonly<Record<string, string | number | null>>;
  /** Returns the text that is searched: the name where it's absent. */
  readonly textOf?: (row: T) => string;
  /** Compares rows by their names: as texts where it's absent. */
  readonly compareNames?: (one: T, other: T) => number;
}

/** Paths are percent-encoded, and their bytes have no case. */
function encodingsOf(text: string): readonly string[] {
  return [text, ...[text, text.toLowerCase(), text.toUpperCase()].map(encodeURI)];
}

function includesText(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}

/** What is nothing comes last, whichever way. */
function compareColumn(
  one: string | number | null | undefined,
  other: string | number | null | undefined,
  direction: number,
): number {
  const [isNone, isOtherNone] = [one === null || one === "", other === null || other === ""];
  if (isNone || isOtherNone) return Number(isNone) - Number(isOtherNone);
  if (typeof one === "string") return direction * compareText(one, String(other));
  return direction * (Number(one) - Number(other));
}

/** Divides; null where there is nothing to divide by. */
export function divide(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

/** Sums what adds up, field by field; null for no rows. */
export function sumAll<T extends object>(rows: readonly T[]): Listed<T>["other"] {
  if (rows[0] === undefined) return null;
  const all = rows as readonly Readonly<Record<string, unknown>>[];
  const sums: Record<string, unknown> = {};
  for (const [name, first] of Object.entries(rows[0])) {
    const values = all.map((row) => row[name]);
    if (name === "views") sums[name] = sumAll(values as readonly ViewCounts[]);
    else if (typeof first === "number" && name !== "visitors") {
      sums[name] = values.reduce<number>((sum, value) => sum + Number(value), 0);
    }
  }
  return sums as Listed<T>["other"];
}

/** Compares texts by code points, as engines compare the bytes of UTF-8: the language compares units of UTF-16. */
export function compareText(one: string, other: string): number {
  const [left, right] = [[...one], [...other]];
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const difference = (left[index]?.codePointAt(0) ?? 0) - (right[index]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
