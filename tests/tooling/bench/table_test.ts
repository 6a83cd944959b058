import { assertEquals } from "@std/assert";
import { formatTable } from "../../../scripts/bench/client/table.ts";

Deno.test("formatTable() gives the median of each SDK, and how many times the reference's that is", () => {
  const column = { figure: "step", title: "step, µs", reference: "floor", digits: 1 };

  const table = formatTable([column], [
    { id: "floor", runs: [{ step: 1 }, { step: 9 }, { step: 2 }] },
    { id: "ours", runs: [{ step: 3 }] },
    { id: "peer", runs: [{ step: 3000 }] },
  ]);

  assertEquals(
    table,
    `|  | floor | ours | peer |
| --- | ---: | ---: | ---: |
| step, µs (× floor) | 2.0 (1.0) | 3.0 (1.5) | 3,000.0 (1500) |`,
  );
});

Deno.test("formatTable() gives the worst of what is counted", () => {
  const column = { figure: "arrived", title: "arrived of 30", pick: "worst" } as const;

  const table = formatTable([column], [{ id: "ours", runs: [{ arrived: 30 }, { arrived: 29 }, { arrived: 30 }] }]);

  assertEquals(table.split("\n").at(-1), "| arrived of 30 | 29 |");
});

Deno.test("formatTable() leaves out what nobody measured, and a ratio to nobody", () => {
  const columns = [{ figure: "size", title: "size" }, { figure: "step", title: "step", reference: "floor" }];

  const table = formatTable(columns, [{ id: "ours", runs: [{ step: 4 }] }, { id: "peer", runs: [{}] }]);

  assertEquals(table.split("\n").slice(2), ["| step | 4 |  |"]);
});

Deno.test("formatTable() adds the lowest and the highest run where that is asked for and they differ", () => {
  const columns = [{ figure: "init", title: "init, ms", reference: "before", digits: 1 }];

  const table = formatTable(columns, [
    { id: "ours", runs: [{ init: 2 }, { init: 1 }, { init: 3 }] },
    { id: "before", runs: [{ init: 4 }, { init: 4 }] },
  ], { isRanged: true });

  assertEquals(table.split("\n").at(-1), "| init, ms (× before) | 2.0 (0.50), 1.0 to 3.0 | 4.0 (1.0) |");
});
