import { type FeedRow, shortId, urlPath } from "./feed_row.ts";

const CONTROL_CHARACTERS = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

/** Names the columns of {@linkcode formatRow}. */
export const ROW_HEADER: string = toLine(["time", "kind", "name", "user", "visitor", "session", "page"]);

/** Formats a row as a line of the terminal. */
export function formatRow(row: FeedRow): string {
  const time = new Date(row.at).toLocaleTimeString("en-GB");
  if (row.kind === "duplicates") return toLine([time, "duplicate", `${row.count} known already`]);
  if (row.kind === "refused") return toLine([time, "refused", `${row.status} ${row.code}: ${row.message}`]);
  const { collection, name, identity, sessionId, context } = row.event;
  return toLine([
    time,
    collection,
    name,
    identity === undefined ? "-" : identity.userId ?? "anonymous",
    shortId(identity?.anonymousId ?? "-"),
    shortId(sessionId ?? "-"),
    urlPath(context?.pageUrl ?? "-"),
  ]);
}

function toLine(cells: readonly string[]): string {
  const [time = "", kind = "", name = "", user = "", visitor = "", session = "", page = ""] = cells;
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
