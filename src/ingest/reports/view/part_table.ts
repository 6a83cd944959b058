import { findPart, type Note } from "../query/notes.ts";
import type { Table } from "./csv.ts";
import type { PartCounts } from "./spans.ts";

/** Builds the rows of the parts of a span. */
export function toPartTable({ parts }: { readonly parts: readonly PartCounts[] }): Table {
  const heads = [
    ...["from", "full", "aggregate", "consentShare", "visitors", "users", "sessions", "landings"],
    ...["viewsPerSession", "bounceRate"],
  ];
  return [
    heads,
    ...parts.map(({ from, pageviews: { full, aggregate }, consentShare, visitors, users, ...rest }) => [
      ...[from, full, aggregate, consentShare, visitors, users],
      ...[rest.sessions, rest.landings, rest.viewsPerSession, rest.bounceRate],
    ]),
  ];
}

/** Adds a column with the notes of each part, split by semicolons. */
export function addNotes(
  [heads = [], ...rows]: Table,
  { parts, notes }: { readonly parts: readonly { readonly from: string }[]; readonly notes: readonly Note[] },
): Table {
  const textsOf = (index: number): string | null =>
    notes.filter(({ day }) => findPart(parts, day) === index).map(({ text }) => text).join("; ") || null;
  return [[...heads, "notes"], ...rows.map((row, index) => [...row, textsOf(index)])];
}
