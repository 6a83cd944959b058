import { assertEquals } from "@std/assert";
import { formatTable, type Row } from "../faults/row.ts";

const COUNTS = {
  made: 30,
  stored: 29,
  lost: 1,
  excused: 0,
  sentTwice: 0,
  unseen: 2,
  storedTwice: 0,
  leaked: 0,
  rebatched: 0,
};

const ROWS: readonly Row[] = [
  { id: "10a", title: "flood", engine: "webkit", notes: ["n/a: why"], faults: [] },
  { id: "2a", title: "outage", engine: "firefox", counts: COUNTS, notes: ["note"], faults: ["1 events lost"] },
];

Deno.test("formatTable() lists rows by number, with a dash where a step can't be done", () => {
  assertEquals(
    formatTable(ROWS).split("\n").slice(2),
    [
      "| 2a outage | firefox |   30 |     29 |    1 |       0 |          2 |               2 |            0 | FAILED: 1 events lost; note |",
      "| 10a flood | webkit  |    - |      - |    - |       - |          - |               - |            - | n/a: why |",
    ],
  );
});
