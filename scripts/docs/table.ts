/** Returns a table as `deno fmt` writes it. */
export function buildTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const [head = "", ...lines] = rows.map((row) => toLine(row.map((cell, column) => cell.padEnd(widths[column] ?? 0))));
  return [head, toLine(widths.map((width) => "-".repeat(width))), ...lines, ""].join("\n");
}

function toLine(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
