/**
 * Rows as CSV (RFC 4180), safe to open in a spreadsheet.
 *
 * @module
 */
import type { BesideGoal } from "./conversion.ts";
import { writeSafeJson } from "../../events/foreign_text.ts";
import { FEW_TEXT, isFew } from "../query/few.ts";

/** A cell. Null is an empty one. */
export type Cell = string | number | null;

/** A line of names, and the rows. */
export type Table = readonly (readonly Cell[])[];

/**
 * Where a spreadsheet would find a formula, full-width forms included: at the start of a text, and behind what some
 * split cells by. Where that is a semicolon, only the first quote of a row protects its text. Some leave out blanks and what
 * isn't seen before it. The character comes first, so that a long text of blanks is looked through once.
 */
const FORMULA = /[=+\-@\uff1d\uff0b\uff0d\uff20](?<=(?:^|[;\t\r\n])[\s\p{C}"]*.)/gu;

/** Name of the last row, where there are more than are listed. */
export const OTHER = "Other";

/** Name of the last row of a table of parts, which has the figures of all of them. */
export const TOTAL = "Total";

/** Heads of pageviews of both forms. */
export const VIEW_HEADS = ["Views with consent", "Views before consent"] as const;

/** Heads of the columns of a goal. */
const CONVERSION_HEADS = ["Sessions of the row", "Conversions", "Conversion rate", "Value"] as const;

/** Names the columns of the period before. */
export function nameBefore(heads: readonly string[]): readonly string[] {
  return heads.map((head) => `${head}, period before`);
}

/** Adds the columns of a goal, where its rows have them; what is left out has nothing there. */
export function addConversionCells(table: Table, rows: readonly BesideGoal<object>[]): Table {
  if (!rows.some(({ conversion }) => conversion !== undefined)) return table;
  const isOfPages = rows.some(({ conversion }) => conversion?.exitsWithout !== undefined);
  const cellsOf = (index: number): readonly Cell[] => {
    if (index === 0) return [...CONVERSION_HEADS, ...(isOfPages ? ["Exits without the goal"] : [])];
    const { sessions = null, conversions = null, conversionRate = null, value = null, exitsWithout = null } =
      rows[index - 1]?.conversion ?? {};
    return [sessions, conversions, conversionRate, value, ...(isOfPages ? [exitsWithout] : [])];
  };
  return table.map((cells, index) => [...cells, ...cellsOf(index)]);
}

/** Writes a table as CSV. */
export function writeTable(table: Table): string {
  return table.map(formatRow).join("");
}

/** Makes a cell of a value of an event; what is no text or number as JSON. */
export function toCell(value: unknown): Cell {
  if (value === undefined || value === null) return null;
  if (typeof value === "string" || typeof value === "number") return value;
  return writeSafeJson(value);
}

/** Writes a row. Text that a spreadsheet would run as a formula gets an apostrophe in front (OWASP, CSV injection). */
export function formatRow(cells: readonly Cell[]): string {
  return `${cells.map(formatCell).join(",")}\r\n`;
}

function formatCell(cell: Cell): string {
  if (isFew(cell)) return formatCell(FEW_TEXT);
  if (typeof cell !== "string") return String(cell ?? "");
  return `"${cell.replace(FORMULA, "'$&").replaceAll('"', '""')}"`;
}
