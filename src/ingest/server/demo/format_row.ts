import { type FeedRow, toCells } from "./feed_row.ts";

const CONTROL_CHARACTERS = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

/** After the time, the columns and their widths. */
const COLUMNS = [["kind", 9], ["name", 20], ["user", 10], ["visitor", 8], ["session", 8], ["page", 0]] as const;

/** Names the columns of {@linkcode formatRow}. */
export const ROW_HEADER: string = toLine(["time", ...COLUMNS.map(([name]) => name)]);

/** Formats a row as a line of the terminal. */
export function formatRow(row: FeedRow): string {
  const cells = toCells(row);
  return toLine([new Date(row.at).toLocaleTimeString("en-GB"), ...COLUMNS.map(([name]) => cells[name])]);
}

function toLine([time = "", ...cells]: readonly string[]): string {
  const columns = cells.map((cell, index) => cell.padEnd(COLUMNS[index]?.[1] ?? 0));
  // What a page sends must not steer the terminal it is shown in.
  return [time.padEnd(8), ...columns].join("  ").trimEnd().replaceAll(CONTROL_CHARACTERS, "�");
}
