/** Formats rows as a table of plain text: the columns' names, a rule, and a line for each row. */
export function formatTable<K extends string>(
  columns: readonly K[],
  rows: readonly Readonly<Record<K, string>>[],
): string {
  const widths = columns.map((column) => Math.max(column.length, ...rows.map((row) => row[column].length)));
  const toLine = (cells: readonly string[]): string =>
    cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  ").trimEnd();
  return [
    toLine(columns),
    toLine(widths.map((width) => "─".repeat(width))),
    ...rows.map((row) => toLine(columns.map((column) => row[column]))),
  ].join("\n");
}
