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

/** Heads of the columns of a goal. */
const CONVERSION_HEADS = ["goalSessions", "conversions", "conversionRate", "goalValue"] as const;

/** Adds the columns of a goal, where its rows have them; what is left out has nothing there. */
export function addConversionCells(table: Table, rows: readonly BesideGoal<object>[]): Table {
  if (!rows.some(({ conversion }) => conversion !== undefined)) return table;
  const cellsOf = (index: number): readonly Cell[] => {
    if (index === 0) return CONVERSION_HEADS;
    const { sessions = null, conversions = null, conversionRate = null, value = null } = rows[index - 1]?.conversion ??
      {};
    return [sessions, conversions, conversionRate, value];
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
