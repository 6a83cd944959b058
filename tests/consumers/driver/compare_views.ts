import { assertEquals } from "@std/assert";

/** Compares lines; if they differ, shows those that came beside those expected. */
export function compareViews(actual: readonly string[], expected: readonly string[], note: string = ""): void {
  assertEquals(actual, expected, `\n${toTable(actual, expected)}\n${note}`);
}

/** Returns a table of two columns, with a mark where a line differs. */
function toTable(actual: readonly string[], expected: readonly string[]): string {
  const width = Math.max("expected".length, ...expected.map(({ length }) => length));
  const count = Math.max(actual.length, expected.length);
  const rows = Array.from({ length: count }, (_, index) => [expected[index] ?? "", actual[index] ?? ""] as const);
  return [["expected", "got"] as const, ...rows]
    .map(([left, right], index) => `${index === 0 || left === right ? " " : "!"} ${left.padEnd(width)} | ${right}`)
    .join("\n");
}
