import { type FeedCells, type FeedRow, toCells } from "./feed_row.ts";

const CONTROL_CHARACTERS = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

/** Names the columns of {@linkcode formatRow}. */
export const ROW_HEADER: string = toLine("time", {
  kind: "kind",
  name: "name",
  user: "user",
  visitor: "visitor",
  session: "session",
  page: "page",
});

/** Formats a row as a line of the terminal. */
export function formatRow(row: FeedRow): string {
  return toLine(new Date(row.at).toLocaleTimeString("en-GB"), toCells(row));
}

function toLine(time: string, { kind, name, user, visitor, session, page }: FeedCells): string {
  const columns = [
    time.padEnd(8),
    kind.padEnd(9),
    name.padEnd(20),
    user.padEnd(10),
    visitor.padEnd(8),
    session.padEnd(8),
    page,
  ];
  // What a page sends must not steer the terminal it is shown in.
  return columns.join("  ").trimEnd().replaceAll(CONTROL_CHARACTERS, "�");
}
