import { assertEquals } from "@std/assert";
import { writeAnswer } from "../../../../src/ingest/server/cli/sql_answer.ts";

Deno.test("writeAnswer() writes a table of more rows than a call takes arguments", () => {
  const rows = Array.from({ length: 200_000 }, (_, index) => [index]);
  const lines = writeAnswer({ columns: ["n"], rows }, "table").split("\n");

  assertEquals([lines.length, ...lines.slice(0, 3), ...lines.slice(-2)], [
    200_003,
    "n",
    "------",
    "0",
    "199999",
    "",
  ]);
});
