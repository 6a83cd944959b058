/**
 * CSV (RFC 4180) that is safe to open in a spreadsheet.
 *
 * @module
 */

/** A cell. Null is an empty one. */
export type Cell = string | number | null;

/**
 * Where a spreadsheet would find a formula, full-width forms included: at the start of a text, and behind what some
 * split cells by. Where that is a semicolon, only the first quote of a row protects its text.
 */
const FORMULA = /(?<=(?:^|[;\t\r\n])"*)[=+\-@\uff1d\uff0b\uff0d\uff20]/g;

/** Writes a row. Text that a spreadsheet would run as a formula gets an apostrophe in front (OWASP, CSV injection). */
export function formatRow(cells: readonly Cell[]): string {
  return `${cells.map(formatCell).join(",")}\r\n`;
}

function formatCell(cell: Cell): string {
  if (typeof cell !== "string") return String(cell ?? "");
  return `"${cell.replace(FORMULA, "'$&").replaceAll('"', '""')}"`;
}
