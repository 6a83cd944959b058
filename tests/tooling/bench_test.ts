import { assertEquals } from "@std/assert";
import { buildFloorTable, buildPeersTable } from "../../scripts/bench/client/tables.ts";

/** Three rounds of a figure, of which one gave nothing. */
const RESULTS = [
  { id: "floor", brotliBytes: 500, rounds: new Map([["init4", [1, 2, 4]], ["sent", [10, 10, 10]]]) },
  { id: "floor-50", brotliBytes: 500, rounds: new Map([["init4", [1, 1, 1]], ["sent", [20, 20, 20]]]) },
  {
    id: "ours",
    brotliBytes: 8196,
    rounds: new Map([["init4", [4, NaN, 4]], ["sent", [30, 30, 30]], ["longest", [0]]]),
  },
];

function readCells(table: string): readonly (readonly string[])[] {
  return table.trim().split("\n").map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
}

Deno.test("the benchmark's table beside the floor has medians, ranges and ratios, at equal batches where they count", () => {
  const lines = readCells(buildFloorTable(RESULTS));
  const find = (title: string): readonly string[] => lines.find(([first = ""]) => first.startsWith(title)) ?? [];

  assertEquals(find("`init()` at 4x").slice(1), ["2.00 (1.20 to 3.60)", "4.00 (4.00 to 4.00)", "2.00 (1.30 to 3.70)"]);
  assertEquals(find("CPU until").slice(1), ["20.0 (20.0 to 20.0)", "30.0 (30.0 to 30.0)", "1.50 (1.50 to 1.50)"]);
  assertEquals(find("longest").slice(1), ["", "none over 50", ""]);
  assertEquals(find("bundle").slice(1), ["500", "8,196", ""]);
});

Deno.test("the benchmark's table of all SDKs has a line an SDK, empty where nothing was measured", () => {
  const [, , ...lines] = readCells(buildPeersTable(RESULTS));

  assertEquals(lines.map(([id, size, init, ...rest]) => [id, size, init, rest.join("")]), [
    ["floor", "0.50", "2.00 (1.20 to 3.60)", ""],
    ["floor-50", "0.50", "1.00 (1.00 to 1.00)", ""],
    ["ours", "8.20", "4.00 (4.00 to 4.00)", ""],
  ]);
});
