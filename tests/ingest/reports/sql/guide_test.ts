import { assertEquals } from "@std/assert";
import { STORED_COLUMNS } from "../../../../src/ingest/events/columns.ts";
import { DEFINITIONS } from "../../../../src/ingest/reports/sql/definitions.ts";

Deno.test("the columns of stored events are those of the guide to ClickHouse, with what they mean", async () => {
  const guide = await Deno.readTextFile(new URL("../../../../docs/clickhouse.md", import.meta.url));
  const rows = [...guide.matchAll(/^\| `(\w+)` +\| (.*?) +\|$/gm)].map(([, name, about]) => [name, about]);

  assertEquals(rows, STORED_COLUMNS.map(({ name, about }) => [name, about]));
});

Deno.test("the guide to SQL has each definition of the reports", async () => {
  const guide = await Deno.readTextFile(new URL("../../../../docs/sql.md", import.meta.url));
  const rows = [...guide.matchAll(/^\| (\w+) +\| ([^|]*?) +\| `(.*)` +\|$/gm)].map(([, ...cells]) => cells);

  assertEquals(rows, Object.entries(DEFINITIONS).map(([name, { sentence, sql }]) => [name, sentence, sql]));
});
