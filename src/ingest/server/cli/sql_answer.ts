import { replaceControls, writeSafeJson } from "../../events/foreign_text.ts";
import { toCell, writeTable } from "../../reports/view/csv.ts";
import type { Answer } from "../../stores/file/duckdb.ts";

/** Widest cell of a table that is looked at, in characters. */
const MAX_CELL_WIDTH = 80;

/** Writes the answer to a query as a text. What isn't a number or a text is written as JSON has it, or as ISO 8601. */
export function writeAnswer({ columns, rows }: Answer, format: "table" | "csv" | "json"): string {
  if (format === "json") {
    const objects = rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, toJson(row[index])])));
    return `${writeSafeJson(objects)}\n`;
  }
  const cells = rows.map((row) => row.map((value) => toCell(toJson(value))));
  if (format === "csv") return writeTable([columns, ...cells]);
  return align([columns, ...cells.map((row) => row.map((cell) => String(cell ?? "")))]);
}

/** Makes a value one that JSON has. Numbers that readers of JSON round are texts. */
function toJson(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return [...value].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, toJson(one)]));
}

function align(lines: readonly (readonly string[])[]): string {
  const cells = lines.map((line) => line.map((cell) => replaceControls(cell).slice(0, MAX_CELL_WIDTH)));
  // One by one: there are more rows than a call takes arguments.
  const widths = (cells[0] ?? []).map((_, index) =>
    cells.reduce((most, line) => Math.max(most, line[index]?.length ?? 0), 0)
  );
  const [header = "", ...rows] = cells.map((line) =>
    line.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  ").trimEnd()
  );
  return [header, widths.map((width) => "-".repeat(width)).join("  "), ...rows, ""].join("\n");
}
