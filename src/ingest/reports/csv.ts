/**
 * CSV (RFC 4180) that is safe to open in a spreadsheet.
 *
 * @module
 */

/** A cell. Null is an empty one. */
export type Cell = string | number | null;

// What a spreadsheet takes for a formula, full-width forms included, or skips on the way to one.
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** Writes a row. Text that a spreadsheet would run as a formula gets an apostrophe in front (OWASP, CSV injection). */
export function formatRow(cells: readonly Cell[]): string {
  return `${cells.map(formatCell).join(",")}\r\n`;
}

function formatCell(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}
