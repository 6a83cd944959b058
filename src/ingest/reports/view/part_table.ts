import { findPart, type Note } from "../query/notes.ts";
import { type Cell, type Table, TOTAL, VIEW_HEADS } from "./csv.ts";
import type { PartCounts, SpanCounts } from "./spans.ts";

/** Heads of the cells of {@linkcode toSpanCells}. */
export const SPAN_HEADS: readonly string[] = [
  ...[...VIEW_HEADS, "With consent", "Visitors", "Users signed in", "Sessions", "Landings"],
  ...["Views per session", "Bounce rate"],
];

/** Builds the cells of a span; empty ones where there is none. */
export function toSpanCells(span: SpanCounts | undefined): readonly Cell[] {
  if (span === undefined) return SPAN_HEADS.map(() => null);
  const { pageviews: { full, aggregate }, consentShare, visitors, users, sessions, landings, ...rest } = span;
  return [full, aggregate, consentShare, visitors, users, sessions, landings, rest.viewsPerSession, rest.bounceRate];
}

/** Builds the rows of the parts of a span, and one of all of it. */
export function toPartTable(
  { parts, current }: { readonly parts: readonly PartCounts[]; readonly current: SpanCounts },
): Table {
  return [
    ["From", ...SPAN_HEADS],
    ...parts.map((part) => [part.from, ...toSpanCells(part)]),
    [TOTAL, ...toSpanCells(current)],
  ];
}

/** Adds a column with the notes of each part, split by semicolons. */
export function addNotes(
  [heads = [], ...rows]: Table,
  { parts, notes }: { readonly parts: readonly { readonly from: string }[]; readonly notes: readonly Note[] },
): Table {
  const textsOf = (index: number): string | null =>
    notes.filter(({ day }) => findPart(parts, day) === index).map(({ text }) => text).join("; ") || null;
  return [[...heads, "Notes"], ...rows.map((row, index) => [...row, textsOf(index)])];
}
